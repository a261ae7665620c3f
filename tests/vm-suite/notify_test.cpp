// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Completions that are no notifications: they wait until one comes that is. */

#include "cno.hpp"
#include "pair.hpp"
#include "play.hpp"
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

/* Receives of an SRQ come from one queue of the device, whoever takes them. */
TEST(NotifySolicited, NotOfAnSrq)
{
	play([](Line &) {
		Adapter adapter;
		EventQueue dto(adapter, 16, DAT_EVD_DTO_FLAG), requests(adapter, 16);
		DAT_SRQ_ATTR srq_attr{};
		DAT_SRQ_HANDLE srq;
		DAT_EP_ATTR attr{};
		DAT_EP_HANDLE ep;

		srq_attr.max_recv_dtos = 4;
		srq_attr.max_recv_iov = 1;
		srq_attr.low_watermark = DAT_SRQ_LW_DEFAULT;
		ok(dat_srq_create(adapter.ia(), adapter.pz(), &srq_attr, &srq));
		attr.max_request_dtos = 1;
		attr.recv_completion_flags = DAT_COMPLETION_SOLICITED_WAIT_FLAG;
		fails(DAT_MODEL_NOT_SUPPORTED,
		      dat_ep_create_with_srq(adapter.ia(), adapter.pz(), dto.evd(), requests.evd(),
					     requests.evd(), srq, &attr, &ep));
		ok(dat_srq_free(srq));
	});
}

} // namespace
} // namespace suite
