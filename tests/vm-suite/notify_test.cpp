// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Completions that are no notifications: they wait until one comes that is. */

#include "cno.hpp"
#include "pair.hpp"
#include "play.hpp"
#include "shared_queue.hpp"
#include "sleeper.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

constexpr DAT_COMPLETION_FLAGS quiet = DAT_COMPLETION_UNSIGNALLED_FLAG;
constexpr DAT_EVD_FLAGS completions = DAT_EVD_DTO_FLAG | DAT_EVD_RMR_BIND_FLAG;
constexpr DAT_TIMEOUT short_time = 50'000;

EndpointSizes quiet_sizes()
{
	EndpointSizes sizes;

	sizes.recv_style = quiet;
	sizes.request_style = quiet;
	sizes.dto_streams = completions;
	return sizes;
}

/* Two connected EPs whose completions notify as the posts say. */
struct Scene {
	Adapter adapter;
	Pair pair{ adapter, quiet_sizes() };

	Endpoint &sender() { return pair.active; }
	DAT_EVD_HANDLE requests() { return sender().request_queue().evd(); }

	/* A message, and its receive, that arrives: the send's event comes, too. */
	void send(DAT_UINT64 cookie, DAT_COMPLETION_FLAGS flags)
	{
		ok(pair.passive.recv(Segments(), cookie));
		ok(sender().send(Segments(), cookie, flags));
		pair.passive.expect_recv(cookie, 0);
	}
	DAT_COUNT queued()
	{
		DAT_EVENT event;
		DAT_COUNT more = 0;
		const DAT_RETURN result = dat_evd_wait(requests(), short_time, 1, &event, &more);

		require(DAT_GET_TYPE(result) == DAT_TIMEOUT_EXPIRED, "a wait ended");
		return more;
	}
	/* Until the events of so many quiet sends are there. */
	void await_queued(DAT_COUNT count)
	{
		while (queued() < count)
			continue;
	}
};

/* CONFIG_NOTIFY, _SOLICITED or _THRESHOLD; the last is both others' bits. */
unsigned kind_of(DAT_EVD_HANDLE evd)
{
	DAT_EVD_PARAM param;

	ok(dat_evd_query(evd, DAT_EVD_FIELD_EVD_STATE, &param));
	return static_cast<unsigned>(param.evd_state) & DAT_EVD_STATE_CONFIG_THRESHOLD;
}

TEST(Notify, TheQueueSaysSo)
{
	play([](Line &) {
		Scene scene;
		DAT_EVENT event;
		DAT_COUNT more;

		EXPECT_EQ(kind_of(scene.requests()), DAT_EVD_STATE_CONFIG_NOTIFY);
		EXPECT_EQ(dat_evd_wait(scene.requests(), 0, 2, &event, &more),
			  DAT_ERROR(DAT_INVALID_STATE, DAT_INVALID_STATE_EVD_CONFIG_NOTIFY));
	});
}

TEST(Notify, AQuietEventEndsNoWait)
{
	play([](Line &) {
		Scene scene;

		scene.send(1, quiet);
		scene.await_queued(1);
		EvdWait wait(scene.requests());
		scene.send(2, quiet);
		scene.send(3, DAT_COMPLETION_DEFAULT_FLAG);
		EXPECT_EQ(wait.result(), DAT_SUCCESS);
		EXPECT_EQ(wait.event.event_data.dto_completion_event_data.user_cookie.as_64, 1u);
		EXPECT_EQ(wait.more, 2);
		EXPECT_EQ(wait.sleeper.further_sleeps(), 0);
		/* The notification is not read yet: no need to sleep for another one. */
		EXPECT_EQ(dat_evd_wait(scene.requests(), long_time, 1, &wait.event, &wait.more),
			  DAT_SUCCESS);
		EXPECT_EQ(wait.more, 1);
		scene.sender().expect_request(3, 0);
	});
}

/* Without a wait they are events like others. */
TEST(Notify, AQuietEventCanBeTaken)
{
	play([](Line &) {
		Scene scene;
		DAT_EVENT event;
		DAT_COUNT more;

		scene.send(1, quiet);
		scene.send(2, quiet);
		scene.await_queued(2);
		ok(dat_evd_wait(scene.requests(), 0, 1, &event, &more));
		EXPECT_EQ(more, 1);
		ok(dat_evd_dequeue(scene.requests(), &event));
		EXPECT_EQ(event.event_data.dto_completion_event_data.user_cookie.as_64, 2u);
	});
}

TEST(Notify, QuietReceives)
{
	play([](Line &) {
		Scene scene;
		DAT_DTO_COOKIE cookie{};
		const DAT_EVD_HANDLE recvs = scene.pair.passive.recv_queue().evd();

		cookie.as_64 = 1;
		ok(dat_ep_post_recv(scene.pair.passive.ep(), 0, nullptr, cookie, quiet));
		ok(scene.pair.passive.recv(Segments(), 2));
		EvdWait wait(recvs);
		ok(scene.sender().send(Segments(), 1));
		scene.sender().expect_request(1, 0);
		ok(scene.sender().send(Segments(), 2));
		EXPECT_EQ(wait.result(), DAT_SUCCESS);
		EXPECT_EQ(wait.more, 1);
		scene.pair.passive.expect_recv(2, 0);
	});
}

/* What failed is always a notification. */
TEST(Notify, AFailureIsOne)
{
	play([](Line &) {
		Scene scene;

		ok(dat_ep_disconnect(scene.sender().ep(), DAT_CLOSE_ABRUPT_FLAG));
		scene.sender().expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
		EvdWait wait(scene.requests());
		ok(scene.sender().send(Segments(), 7, quiet));
		EXPECT_EQ(wait.result(), DAT_SUCCESS);
		EXPECT_EQ(wait.event.event_data.dto_completion_event_data.status,
			  DAT_DTO_ERR_FLUSHED);
	});
}

TEST(Notify, AQuietEventTriggersNoCno)
{
	play([](Line &) {
		Scene scene;
		DAT_CNO_HANDLE cno;
		DAT_EVD_HANDLE hint;

		ok(dat_cno_create(scene.adapter.ia(), DAT_OS_WAIT_PROXY_AGENT_NULL, &cno));
		ok(dat_evd_modify_cno(scene.requests(), cno));
		scene.send(1, quiet);
		scene.await_queued(1);
		EXPECT_EQ(DAT_GET_TYPE(dat_cno_wait(cno, 0, &hint)), DAT_QUEUE_EMPTY);
		scene.send(2, DAT_COMPLETION_DEFAULT_FLAG);
		ok(dat_cno_wait(cno, long_time, &hint));
		EXPECT_EQ(hint, scene.requests());
		ok(dat_evd_modify_cno(scene.requests(), DAT_HANDLE_NULL));
		ok(dat_cno_free(cno));
	});
}

/* Only an EP that was made for it may post like that. */
TEST(Notify, NotOnOtherEndpoints)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		DAT_DTO_COOKIE cookie{};

		fails(DAT_INVALID_PARAMETER, pair.active.send(Segments(), 1, quiet));
		fails(DAT_INVALID_PARAMETER,
		      dat_ep_post_recv(pair.active.ep(), 0, nullptr, cookie, quiet));
	});
}

/* All that feeds a queue is of one kind, and it takes nothing but completions. */
TEST(Notify, KindsDoNotMix)
{
	play([](Line &) {
		Adapter adapter;
		EventQueue plain(adapter, 16), dto(adapter, 16, completions);
		DAT_EP_ATTR attr{};
		DAT_EP_HANDLE one, other;
		auto create = [&](DAT_COMPLETION_FLAGS recv, DAT_COMPLETION_FLAGS request,
				  EventQueue &evd, DAT_EP_HANDLE *ep) {
			attr.recv_completion_flags = recv;
			attr.request_completion_flags = request;
			return dat_ep_create(adapter.ia(), adapter.pz(), evd.evd(), evd.evd(),
					     plain.evd(), &attr, ep);
		};

		attr.max_recv_dtos = 1;
		attr.max_request_dtos = 1;
		fails(DAT_INVALID_PARAMETER, create(quiet, quiet, plain, &one));
		fails(DAT_INVALID_PARAMETER,
		      create(quiet, DAT_COMPLETION_EVD_THRESHOLD_FLAG, dto, &one));
		ok(create(quiet, quiet, dto, &one));
		fails(DAT_INVALID_PARAMETER,
		      create(DAT_COMPLETION_EVD_THRESHOLD_FLAG, DAT_COMPLETION_EVD_THRESHOLD_FLAG,
			     dto, &other));
		ok(create(quiet, quiet, dto, &other));
		ok(dat_ep_free(one));
		ok(dat_ep_free(other));
		/* Nobody is left who minds. */
		ok(create(DAT_COMPLETION_DEFAULT_FLAG, DAT_COMPLETION_DEFAULT_FLAG, dto, &one));
		EXPECT_EQ(kind_of(dto.evd()), DAT_EVD_STATE_CONFIG_THRESHOLD);
		ok(dat_ep_free(one));
	});
}

/* An EP that is alone on its queues can become of another kind, and back. */
TEST(Notify, ModifiedEndpoint)
{
	play([](Line &) {
		Adapter adapter;
		EndpointSizes sizes;
		DAT_EP_PARAM param{};

		sizes.dto_streams = completions;
		Endpoint endpoint(adapter, sizes);
		const DAT_EVD_HANDLE evd = endpoint.request_queue().evd();
		for (auto style : { quiet, DAT_COMPLETION_EVD_THRESHOLD_FLAG }) {
			param.ep_attr.recv_completion_flags = style;
			param.ep_attr.request_completion_flags = style;
			ok(dat_ep_modify(endpoint.ep(),
					 DAT_EP_FIELD_EP_ATTR_RECV_COMPLETION_FLAGS |
						 DAT_EP_FIELD_EP_ATTR_REQUEST_COMPLETION_FLAGS,
					 &param));
			EXPECT_EQ(kind_of(evd) == DAT_EVD_STATE_CONFIG_NOTIFY, style == quiet);
		}
		param.recv_evd_handle = endpoint.connect_queue().evd();
		param.ep_attr.recv_completion_flags = quiet;
		fails(DAT_INVALID_PARAMETER,
		      dat_ep_modify(endpoint.ep(),
				    DAT_EP_FIELD_RECV_EVD_HANDLE |
					    DAT_EP_FIELD_EP_ATTR_RECV_COMPLETION_FLAGS,
				    &param));
		EXPECT_EQ(kind_of(endpoint.recv_queue().evd()), DAT_EVD_STATE_CONFIG_THRESHOLD);
	});
}

/* ---- solicited ---------------------------------------------------------- */

/* The passive side's receives notify only where the sender wants it. */
struct SolicitedScene {
	static EndpointSizes sizes()
	{
		EndpointSizes sizes;

		sizes.recv_style = DAT_COMPLETION_SOLICITED_WAIT_FLAG;
		sizes.dto_streams = DAT_EVD_DTO_FLAG;
		return sizes;
	}

	Adapter adapter;
	Pair pair{ adapter, sizes() };

	EventQueue &recvs() { return pair.passive.recv_queue(); }
	void post_recvs(DAT_UINT64 count)
	{
		for (DAT_UINT64 i = 1; i <= count; i++)
			ok(pair.passive.recv(Segments(), i));
	}
	/* It has arrived when the send is done. */
	void send(DAT_UINT64 cookie, DAT_COMPLETION_FLAGS flags = DAT_COMPLETION_DEFAULT_FLAG)
	{
		ok(pair.active.send(Segments(), cookie, flags));
		pair.active.expect_request(cookie, 0);
	}
};

TEST(NotifySolicited, TheQueueSaysSo)
{
	play([](Line &) {
		SolicitedScene scene;
		DAT_EVENT event;
		DAT_COUNT more;

		EXPECT_EQ(kind_of(scene.recvs().evd()), DAT_EVD_STATE_CONFIG_SOLICITED);
		EXPECT_EQ(dat_evd_wait(scene.recvs().evd(), 0, 2, &event, &more),
			  DAT_ERROR(DAT_INVALID_STATE, DAT_INVALID_STATE_EVD_CONFIG_SOLICITED));
	});
}

TEST(NotifySolicited, AMessageThatIsNotEndsNoWait)
{
	if (Adapter::iwarp())
		GTEST_SKIP() << "siw cannot tell them apart: every receive notifies";
	play([](Line &) {
		SolicitedScene scene;

		scene.post_recvs(4);
		EvdWait wait(scene.recvs().evd());
		scene.send(1);
		scene.send(2);
		scene.send(3, DAT_COMPLETION_SOLICITED_WAIT_FLAG);
		EXPECT_EQ(wait.result(), DAT_SUCCESS);
		EXPECT_EQ(wait.event.event_data.dto_completion_event_data.user_cookie.as_64, 1u);
		EXPECT_EQ(wait.more, 2);
		EXPECT_EQ(wait.sleeper.further_sleeps(), 0);
		scene.pair.passive.expect_recv(2, 0);
		scene.pair.passive.expect_recv(3, 0);
	});
}

/* A program that looks finds all. */
TEST(NotifySolicited, WhoLooksFindsTheOthers)
{
	play([](Line &) {
		SolicitedScene scene;

		scene.post_recvs(8);
		for (DAT_UINT64 i = 1; i <= 8; i++) {
			scene.send(i);
			const DAT_EVENT event = scene.recvs().spin();
			EXPECT_EQ(event.event_data.dto_completion_event_data.user_cookie.as_64, i);
		}
	});
}

/* What was taken by a look does not use up the notification of what follows. */
TEST(NotifySolicited, LooksAndWaitsTakeTurns)
{
	play([](Line &) {
		SolicitedScene scene;

		for (DAT_UINT64 round = 0; round < 50; round++) {
			scene.post_recvs(3);
			scene.send(1);
			scene.recvs().spin();
			scene.send(2, DAT_COMPLETION_SOLICITED_WAIT_FLAG);
			scene.pair.passive.expect_recv(2, 0);
			scene.send(3, DAT_COMPLETION_SOLICITED_WAIT_FLAG);
			scene.recvs().spin();
		}
	});
}

/* After a reset and on a new connection it is as it was at first. */
TEST(NotifySolicited, AgainAfterAReset)
{
	if (Adapter::iwarp())
		GTEST_SKIP() << "siw cannot tell them apart: every receive notifies";
	play([](Line &) {
		SolicitedScene scene;

		scene.pair.active.end_and_reset(DAT_CLOSE_ABRUPT_FLAG);
		scene.pair.passive.end_and_reset(DAT_CLOSE_ABRUPT_FLAG);
		scene.pair.connect(scene.adapter);
		scene.post_recvs(3);
		EvdWait wait(scene.recvs().evd());
		scene.send(1);
		scene.send(2);
		EXPECT_FALSE(wait.sleeper.over());
		scene.send(3, DAT_COMPLETION_SOLICITED_WAIT_FLAG);
		EXPECT_EQ(wait.result(), DAT_SUCCESS);
		EXPECT_EQ(wait.more, 2);
		scene.pair.passive.expect_recv(2, 0);
		scene.pair.passive.expect_recv(3, 0);
	});
}

/* Receives that fail, and those of a connection that ends, notify. */
TEST(NotifySolicited, TheEndIsTold)
{
	play([](Line &) {
		SolicitedScene scene;

		for (int round = 0; round < 3; round++) {
			scene.post_recvs(2);
			EvdWait wait(scene.recvs().evd());
			scene.pair.active.end_and_reset(DAT_CLOSE_ABRUPT_FLAG);
			EXPECT_EQ(wait.result(), DAT_SUCCESS);
			EXPECT_EQ(wait.event.event_data.dto_completion_event_data.status,
				  DAT_DTO_ERR_FLUSHED);
			scene.pair.passive.expect_recv_failure(2, DAT_DTO_ERR_FLUSHED);
			scene.pair.passive.end_and_reset(DAT_CLOSE_ABRUPT_FLAG);
			scene.pair.connect(scene.adapter);
		}
	});
}

/* ---- of an SRQ ---- */

constexpr DAT_COMPLETION_FLAGS solicited = DAT_COMPLETION_SOLICITED_WAIT_FLAG;

/* An SRQ and an endpoint whose receives from it notify where the sender wants it. */
struct SharedScene {
	explicit SharedScene(DAT_COUNT recvs = 16)
		: queue(adapter, recvs), one(adapter, queue, 64, solicited)
	{
	}

	Adapter adapter;
	SharedQueue queue;
	Taker one;

	DAT_EVD_HANDLE recvs() { return one.taker.recv_queue().evd(); }
	void post_recvs(DAT_UINT64 count)
	{
		for (DAT_UINT64 i = 1; i <= count; i++)
			ok(queue.post(Segments(), i));
	}
	/* Two messages end no wait, a third does, with the receives 1 to 3. */
	void expect_third()
	{
		EvdWait wait(recvs());
		one.send(1);
		one.send(2);
		EXPECT_FALSE(wait.sleeper.over());
		one.send(3, solicited);
		EXPECT_EQ(wait.result(), DAT_SUCCESS);
		EXPECT_EQ(wait.event.event_data.dto_completion_event_data.user_cookie.as_64, 1u);
		EXPECT_EQ(wait.more, 2);
		EXPECT_EQ(wait.sleeper.further_sleeps(), 0);
		one.taker.expect_recv(2, 0);
		one.taker.expect_recv(3, 0);
	}
};

TEST(NotifySolicitedSrq, AMessageThatIsNotEndsNoWait)
{
	if (Adapter::iwarp())
		GTEST_SKIP() << "siw cannot tell them apart: every receive notifies";
	play([](Line &) {
		SharedScene scene;

		EXPECT_EQ(kind_of(scene.recvs()), DAT_EVD_STATE_CONFIG_SOLICITED);
		scene.post_recvs(3);
		scene.expect_third();
		scene.queue.require_counts(0, 0);
	});
}

/* Each endpoint of an SRQ has its own style. */
TEST(NotifySolicitedSrq, BesideAnotherStyle)
{
	play([](Line &) {
		SharedScene scene;
		Taker other(scene.adapter, scene.queue);

		scene.post_recvs(4);
		EvdWait wait(scene.recvs());
		scene.one.send(1, Adapter::iwarp() ? solicited : DAT_COMPLETION_DEFAULT_FLAG);
		other.send(2);
		other.taker.expect_recv(2, 0);
		if (!Adapter::iwarp()) {
			EXPECT_FALSE(wait.sleeper.over());
			scene.one.send(3, solicited);
		}
		EXPECT_EQ(wait.result(), DAT_SUCCESS);
		EXPECT_EQ(wait.event.event_data.dto_completion_event_data.ep_handle,
			  scene.one.taker.ep());
	});
}

/* Nobody looks, and no message is solicited: the SRQ is seen to all the same. */
TEST(NotifySolicitedSrq, LowWatermark)
{
	play([](Line &) {
		SharedScene scene;

		scene.post_recvs(4);
		ok(dat_srq_set_lw(scene.queue.srq(), 3));
		scene.one.send(1);
		scene.one.send(2);
		const DAT_ASYNCH_ERROR_EVENT_DATA data = expect_async(scene.adapter);
		EXPECT_EQ(data.dat_handle, scene.queue.srq());
		EXPECT_EQ(data.reason, DAT_SRQ_LOW_WATERMARK_EVENT);
		scene.queue.require_counts(2, 4);
	});
}

/* The device's whole window can be taken, and others still get receives. */
TEST(NotifySolicitedSrq, OthersAreNotStarved)
{
	play([](Line &) {
		constexpr DAT_UINT64 window = 512;
		SharedScene scene(window + 8);
		Taker other(scene.adapter, scene.queue);

		scene.post_recvs(window + 8);
		for (DAT_UINT64 i = 1; i <= window; i++)
			scene.one.send(i);
		other.send(1);
		other.taker.expect_recv(window + 1, 0);
		for (DAT_UINT64 i = 1; i <= window; i++) {
			const DAT_EVENT event = scene.one.taker.recv_queue().spin();
			EXPECT_EQ(event.event_data.dto_completion_event_data.user_cookie.as_64, i);
		}
		scene.queue.require_counts(7, 7);
	});
}

/* A receive that fails is told, though no device counts it as solicited. */
TEST(NotifySolicitedSrq, AFailureIsTold)
{
	play([](Line &) {
		SharedScene scene;
		Region region(scene.adapter, 4096);

		scene.post_recvs(1);
		EvdWait wait(scene.recvs());
		ok(scene.one.sender.send(region.local(0, 64), 1));
		EXPECT_EQ(wait.result(), DAT_SUCCESS);
		EXPECT_EQ(wait.event.event_data.dto_completion_event_data.status,
			  DAT_DTO_ERR_LOCAL_LENGTH);
		/* The peer hears of it, too, and may be faster. */
		scene.one.taker.expect_end();
		scene.one.sender.expect_end();
	});
}

/* What it took comes before the end; what it did not take stays for others. */
TEST(NotifySolicitedSrq, TheEndAndAnotherConnection)
{
	play([](Line &) {
		SharedScene scene;

		for (int round = 0; round < 3; round++) {
			scene.post_recvs(4);
			scene.one.send(1);
			scene.one.send(2);
			scene.one.end();
			DAT_EVENT event;
			for (int i = 0; i < 2; i++)
				ok(dat_evd_dequeue(scene.recvs(), &event));
			fails(DAT_QUEUE_EMPTY, dat_evd_dequeue(scene.recvs(), &event));
			scene.queue.require_counts(2, 2);
			ok(dat_ep_reset(scene.one.sender.ep()));
			ok(dat_ep_reset(scene.one.taker.ep()));
			scene.one.connect(scene.adapter);
			for (int i = 0; i < 2; i++)
				scene.one.send(3, solicited);
			for (int i = 0; i < 2; i++)
				scene.one.taker.recv_queue().wait();
		}
		scene.queue.require_counts(0, 0);
	});
}

/* An endpoint that was made for another style. */
TEST(NotifySolicitedSrq, Modified)
{
	if (Adapter::iwarp())
		GTEST_SKIP() << "siw cannot tell them apart: every receive notifies";
	play([](Line &) {
		SharedScene scene;
		DAT_EP_PARAM param{};

		for (auto style : { DAT_COMPLETION_EVD_THRESHOLD_FLAG, solicited }) {
			scene.one.end();
			ok(dat_ep_reset(scene.one.sender.ep()));
			ok(dat_ep_reset(scene.one.taker.ep()));
			param.ep_attr.recv_completion_flags = style;
			ok(dat_ep_modify(scene.one.taker.ep(),
					 DAT_EP_FIELD_EP_ATTR_RECV_COMPLETION_FLAGS, &param));
			EXPECT_EQ(kind_of(scene.recvs()) == DAT_EVD_STATE_CONFIG_SOLICITED,
				  style == solicited);
			scene.one.connect(scene.adapter);
		}
		scene.post_recvs(3);
		scene.expect_third();
	});
}

} // namespace
} // namespace suite
