// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How connections end, in every state of an EP, and what follows. */

#include "heir.hpp"
#include "module_state.hpp"
#include "one_processor.hpp"
#include "pair.hpp"
#include "play.hpp"
#include "settings.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>
#include <unistd.h>

namespace suite {
namespace {

/* Connects two ends of one program. */
void join(const Adapter &adapter, Listener &listener, Endpoint &active, Endpoint &passive)
{
	ok(active.connect(adapter.address(), listener.qual()));
	listener.accept(passive);
	active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
}

/* One of them has left: both hear of it, and nothing was broken. */
void expect_parted(Endpoint &active, Endpoint &passive)
{
	active.expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
	passive.expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
	ok(dat_ep_reset(passive.ep()));
	ok(dat_ep_reset(active.ep()));
}

/* ---- graceful and abrupt ---- */

/* All that was posted arrives, and both sides hear of the end after it. */
TEST(Disconnect, GracefulLetsRequestsFinish)
{
	constexpr DAT_COUNT count = 64;
	constexpr std::size_t size = 4096;
	const EndpointSizes sizes{ .recvs = count, .requests = count, .events = 2 * count + 4 };

	play(
		[&](Line &line) {
			Adapter adapter;
			Listener listener(adapter);
			Endpoint endpoint(adapter, sizes);
			Region region(adapter, count * size);

			for (DAT_COUNT i = 0; i < count; i++)
				ok(endpoint.recv(region.local(i * size, size), i));
			serve(line, listener, endpoint);
			for (DAT_COUNT i = 0; i < count; i++) {
				endpoint.expect_recv(i, size);
				require_pattern(region.bytes(i * size, size), i);
			}
			endpoint.expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
			endpoint.require_state(DAT_EP_STATE_DISCONNECTED);
		},
		[&](Line &line) {
			Adapter adapter;
			Endpoint endpoint(adapter, sizes);
			Region region(adapter, count * size);

			for (DAT_COUNT i = 0; i < count; i++)
				fill(region.bytes(i * size, size), i);
			dial(line, adapter, endpoint);
			for (DAT_COUNT i = 0; i < count; i++)
				ok(endpoint.send(region.local(i * size, size), i));
			ok(dat_ep_disconnect(endpoint.ep(), DAT_CLOSE_GRACEFUL_FLAG));
			for (DAT_COUNT i = 0; i < count; i++)
				endpoint.expect_request(i, size);
			endpoint.expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
			endpoint.require_state(DAT_EP_STATE_DISCONNECTED);
		});
}

/* On a shared queue the order is visible: flushes first, DISCONNECTED last. */
TEST(Disconnect, AbruptFlushesThenTells)
{
	constexpr DAT_COUNT count = 16;

	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter, { .one_queue = true });
		Region region(adapter, 4096);

		for (DAT_COUNT i = 0; i < count; i++)
			ok(pair.active.recv(region.local(0, 64), i));
		ok(dat_ep_disconnect(pair.active.ep(), DAT_CLOSE_ABRUPT_FLAG));
		for (DAT_COUNT i = 0; i < count; i++)
			pair.active.expect_recv_failure(i, DAT_DTO_ERR_FLUSHED);
		pair.active.expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
		pair.passive.expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
		pair.active.recv_queue().require_empty();
	});
}

/* Whatever is posted on a DISCONNECTED endpoint comes back flushed. */
TEST(Disconnect, PostsAfterwardsAreFlushed)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
		Region region(adapter, 4096);

		ok(dat_ep_disconnect(pair.active.ep(), DAT_CLOSE_ABRUPT_FLAG));
		pair.active.expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
		ok(pair.active.recv(region.local(0, 64), 1));
		ok(pair.active.send(region.local(0, 64), 2));
		ok(pair.active.write(region.local(0, 64), region.remote(64, 64), 3));
		pair.active.expect_recv_failure(1, DAT_DTO_ERR_FLUSHED);
		pair.active.expect_request_failure(2, DAT_DTO_ERR_FLUSHED);
		pair.active.expect_request_failure(3, DAT_DTO_ERR_FLUSHED);
	});
}

/*
 * Who has the last message leaves at once. The messages before it were acknowledged by then,
 * and are not to be told of as flushed, although soft RoCE's worker may come to that later
 * than to the end. Of the last one alone nobody knows: a receive completes before it is
 * acknowledged.
 */
TEST(Disconnect, WhatThePeerHasAcknowledgedSucceeds)
{
	constexpr DAT_UINT64 count = 8;
	constexpr std::size_t size = 4096;

	if (Adapter::iwarp())
		GTEST_SKIP() << "siw tells otherwise of what it has sent";

	OneProcessor machine;
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter), passive(adapter);
		Region region(adapter, size);

		OneProcessor::move_in();
		for (DAT_UINT64 round = 0; round < scaled(1000) + 10; round++) {
			for (DAT_UINT64 i = 0; i < count; i++)
				ok(passive.recv(region.local(0, size), i));
			join(adapter, listener, active, passive);
			for (DAT_UINT64 i = 0; i < count; i++)
				ok(active.send(region.local(0, size), i));
			for (DAT_UINT64 i = 0; i < count; i++)
				passive.expect_recv(i, size);
			ok(dat_ep_disconnect(passive.ep(), DAT_CLOSE_ABRUPT_FLAG));

			for (DAT_UINT64 i = 0; i < count - 1; i++)
				active.expect_request(i, size);
			active.request_queue().expect(DAT_DTO_COMPLETION_EVENT);
			expect_parted(active, passive);
		}
	});
}

/*
 * Who has read all that it wanted leaves at once, while the other side may still be about its
 * answer. siw calls that answer failed; it was none of the consumer's, and nothing broke.
 */
TEST(Disconnect, RightAfterARead)
{
	constexpr std::size_t size = 1 << 16;

	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter), passive(adapter);
		Region source(adapter, size), target(adapter, size);

		for (DAT_UINT64 round = 0; round < scaled(300) + 10; round++) {
			join(adapter, listener, active, passive);
			ok(active.read(target.local(0, size), source.remote(0, size), round));
			DAT_EVENT event = active.request_queue().spin();
			ok(dat_ep_disconnect(active.ep(), DAT_CLOSE_ABRUPT_FLAG));
			const auto &completion = event.event_data.dto_completion_event_data;
			require(event.event_number == DAT_DTO_COMPLETION_EVENT &&
					completion.user_cookie.as_64 == round &&
					completion.status == DAT_DTO_SUCCESS,
				"the read does not succeed");

			expect_parted(active, passive);
		}
	});
}

/*
 * Who has the message that it waited for leaves at once, while the other side's device may
 * still be about that message. siw fails it then, although its last byte is on the way: for the
 * consumer it is flushed at worst, and nothing broke.
 */
TEST(Disconnect, RightAfterAMessage)
{
	constexpr std::size_t size = 4096;

	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter), passive(adapter);
		Region source(adapter, size), target(adapter, size);

		for (DAT_UINT64 round = 0; round < scaled(300) + 10; round++) {
			ok(passive.recv(target.local(0, size), round));
			join(adapter, listener, active, passive);
			ok(active.send(source.local(0, size), round));
			DAT_EVENT arrived = passive.recv_queue().spin();
			ok(dat_ep_disconnect(passive.ep(), DAT_CLOSE_ABRUPT_FLAG));
			require(arrived.event_number == DAT_DTO_COMPLETION_EVENT &&
					arrived.event_data.dto_completion_event_data.status ==
						DAT_DTO_SUCCESS,
				"the message does not arrive");

			DAT_EVENT event = active.request_queue().expect(DAT_DTO_COMPLETION_EVENT);
			const auto &completion = event.event_data.dto_completion_event_data;
			require(completion.user_cookie.as_64 == round &&
					(completion.status == DAT_DTO_SUCCESS ||
					 completion.status == DAT_DTO_ERR_FLUSHED),
				"the message fails");
			expect_parted(active, passive);
		}
	});
}

/*
 * The last step of its connection and the first of its end are on the way together. Whichever
 * the other side works on first, it was connected, and hears so.
 */
TEST(Disconnect, RightAfterItIsUp)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter), passive(adapter);

		for (unsigned round = 0; round < scaled(300) + 10; round++) {
			ok(active.connect(adapter.address(), listener.qual()));
			ok(accept_request(listener.request(), passive));
			const DAT_EVENT event = active.connect_queue().spin();
			ok(dat_ep_disconnect(active.ep(), DAT_CLOSE_ABRUPT_FLAG));
			require(event.event_number == DAT_CONNECTION_EVENT_ESTABLISHED,
				"not connected");
			passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
			passive.expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
			active.expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
			ok(dat_ep_reset(passive.ep()));
			ok(dat_ep_reset(active.ep()));
		}
	});
}

TEST(Disconnect, FromBothSidesAtOnce)
{
	constexpr int rounds = 10;
	auto end = [](Line &line, Endpoint &endpoint, int round) {
		line.meet();
		endpoint.end_and_reset(round % 2 ? DAT_CLOSE_ABRUPT_FLAG : DAT_CLOSE_GRACEFUL_FLAG);
	};

	play(
		[&](Line &line) {
			Adapter adapter;
			Listener listener(adapter);
			Endpoint endpoint(adapter);

			for (int i = 0; i < rounds; i++) {
				serve(line, listener, endpoint);
				end(line, endpoint, i);
			}
		},
		[&](Line &line) {
			Adapter adapter;
			Endpoint endpoint(adapter);

			for (int i = 0; i < rounds; i++) {
				dial(line, adapter, endpoint);
				end(line, endpoint, i + i / 2);
			}
		});
}

/* ---- states ---- */

TEST(Disconnect, UnconnectedIsRefused)
{
	play([](Line &) {
		Adapter adapter;
		Endpoint endpoint(adapter);

		for (DAT_CLOSE_FLAGS flags : { DAT_CLOSE_ABRUPT_FLAG, DAT_CLOSE_GRACEFUL_FLAG })
			fails(DAT_INVALID_STATE, dat_ep_disconnect(endpoint.ep(), flags));
		endpoint.require_state(DAT_EP_STATE_UNCONNECTED);
		endpoint.connect_queue().require_empty();
	});
}

TEST(Disconnect, WhileConnecting)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Region region(adapter, 4096);

		for (DAT_CLOSE_FLAGS flags : { DAT_CLOSE_ABRUPT_FLAG, DAT_CLOSE_GRACEFUL_FLAG }) {
			Endpoint endpoint(adapter);

			ok(endpoint.recv(region.local(0, 64), 7));
			ok(endpoint.connect(adapter.address(), listener.qual()));
			DAT_CR_HANDLE request = listener.request();
			endpoint.require_state(DAT_EP_STATE_ACTIVE_CONNECTION_PENDING);
			ok(dat_ep_disconnect(endpoint.ep(), flags));
			endpoint.expect_recv_failure(7, DAT_DTO_ERR_FLUSHED);
			endpoint.expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
			endpoint.require_state(DAT_EP_STATE_DISCONNECTED);
			ok(dat_cr_reject(request));
		}
	});
}

/*
 * The acceptor gives up before the connection stands: whichever comes first. Often,
 * since what takes the acceptance back must not overtake it.
 */
TEST(Disconnect, WhileAccepting)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter), passive(adapter);
		const std::uint64_t rounds = scaled(150) + 10;

		for (std::uint64_t round = 0; round < rounds; round++) {
			ok(active.connect(adapter.address(), listener.qual()));
			ok(accept_request(listener.request(), passive));
			ok(dat_ep_disconnect(passive.ep(), DAT_CLOSE_ABRUPT_FLAG));
			DAT_EVENT event = passive.connect_queue().expect(
				{ DAT_CONNECTION_EVENT_DISCONNECTED,
				  DAT_CONNECTION_EVENT_ESTABLISHED });
			if (event.event_number == DAT_CONNECTION_EVENT_ESTABLISHED)
				passive.expect_end();
			event = active.connect_queue().expect(
				{ DAT_CONNECTION_EVENT_NON_PEER_REJECTED,
				  DAT_CONNECTION_EVENT_ESTABLISHED });
			if (event.event_number == DAT_CONNECTION_EVENT_ESTABLISHED)
				active.expect_end();
			ok(dat_ep_reset(passive.ep()));
			ok(dat_ep_reset(active.ep()));
		}
	});
}

/* A message without a receive keeps it from ending: gracefully again, then abruptly. */
TEST(Disconnect, WhilePending)
{
	if (Adapter::iwarp())
		GTEST_SKIP() << "a message without a receive ends the connection";
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter, { .one_queue = true });
		Region region(adapter, 4096);

		ok(pair.active.send(region.local(0, 64), 1));
		for (int i = 0; i < 2; i++) {
			ok(dat_ep_disconnect(pair.active.ep(), DAT_CLOSE_GRACEFUL_FLAG));
			pair.active.require_state(DAT_EP_STATE_DISCONNECT_PENDING);
		}
		pair.active.recv_queue().require_empty();
		ok(dat_ep_disconnect(pair.active.ep(), DAT_CLOSE_ABRUPT_FLAG));
		pair.active.expect_request_failure(1, DAT_DTO_ERR_FLUSHED);
		pair.active.expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
		pair.passive.expect_end();
		pair.active.recv_queue().require_empty();
	});
}

TEST(Disconnect, DisconnectedIsNoError)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);

		ok(dat_ep_disconnect(pair.active.ep(), DAT_CLOSE_ABRUPT_FLAG));
		pair.active.expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
		for (DAT_CLOSE_FLAGS flags : { DAT_CLOSE_ABRUPT_FLAG, DAT_CLOSE_GRACEFUL_FLAG })
			ok(dat_ep_disconnect(pair.active.ep(), flags));
		pair.passive.expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
		pair.active.connect_queue().require_empty();
		fails(DAT_INVALID_PARAMETER,
		      dat_ep_disconnect(pair.active.ep(), static_cast<DAT_CLOSE_FLAGS>(2)));
	});
}

/* ---- reset ---- */

TEST(Reset, UnconnectedKeepsItsReceives)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter), passive(adapter);
		Region region(adapter, 4096);

		ok(passive.recv(region.local(0, 64), 5));
		ok(dat_ep_reset(passive.ep()));
		ok(active.connect(adapter.address(), listener.qual()));
		listener.accept(passive);
		active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		ok(active.send(region.local(1024, 64), 6));
		passive.expect_recv(5, 64);
		active.expect_request(6, 64);
	});
}

/* Receives posted on the UNCONNECTED endpoint serve the next connection. */
TEST(Reset, ConnectsAgainAndAgain)
{
	constexpr DAT_UINT64 rounds = 5;
	constexpr std::size_t size = 777;

	play(
		[](Line &line) {
			Adapter adapter;
			Listener listener(adapter);
			Endpoint endpoint(adapter);
			Region region(adapter, 2 * size);

			for (DAT_UINT64 round = 0; round < rounds; round++) {
				ok(endpoint.recv(region.local(0, size), round));
				ok(endpoint.recv(region.local(size, size), 100));
				serve(line, listener, endpoint);
				endpoint.expect_recv(round, size);
				require_pattern(region.bytes(0, size), round);
				endpoint.expect_recv_failure(100, DAT_DTO_ERR_FLUSHED);
				endpoint.expect_end();
				ok(dat_ep_reset(endpoint.ep()));
			}
		},
		[](Line &line) {
			Adapter adapter;
			Endpoint endpoint(adapter);
			Region region(adapter, size);

			for (DAT_UINT64 round = 0; round < rounds; round++) {
				fill(region.bytes(0, size), round);
				dial(line, adapter, endpoint);
				ok(endpoint.send(region.local(0, size), round));
				endpoint.expect_request(round, size);
				endpoint.end_and_reset(DAT_CLOSE_GRACEFUL_FLAG);
			}
		});
}

/* ---- ep_free ---- */

TEST(Free, UnconnectedWithReceives)
{
	play([](Line &) {
		Adapter adapter;
		Endpoint endpoint(adapter);
		Region region(adapter, 4096);

		ok(endpoint.recv(region.local(0, 64), 1));
		endpoint.free();
	});
}

TEST(Free, WhileConnecting)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint endpoint(adapter);

		ok(endpoint.connect(adapter.address(), listener.qual()));
		DAT_CR_HANDLE request = listener.request();
		endpoint.free();
		ok(dat_cr_reject(request));
	});
}

TEST(Free, WhileAccepting)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter), passive(adapter);

		ok(active.connect(adapter.address(), listener.qual()));
		ok(accept_request(listener.request(), passive));
		passive.free();
		DAT_EVENT event =
			active.connect_queue().expect({ DAT_CONNECTION_EVENT_NON_PEER_REJECTED,
							DAT_CONNECTION_EVENT_ESTABLISHED });
		if (event.event_number == DAT_CONNECTION_EVENT_ESTABLISHED)
			active.expect_end();
	});
}

TEST(Free, ConnectedTellsThePeer)
{
	play(
		[](Line &line) {
			Adapter adapter;
			Listener listener(adapter);
			Endpoint endpoint(adapter);
			Region region(adapter, 1 << 16);

			serve(line, listener, endpoint);
			for (int i = 0; i < 8; i++)
				ok(endpoint.recv(region.local(0, 64), 1));
			line.meet();
			endpoint.free();
			line.await();
		},
		[](Line &line) {
			Adapter adapter;
			Endpoint endpoint(adapter);

			dial(line, adapter, endpoint);
			line.meet();
			endpoint.expect_end();
			line.tell();
		});
}

TEST(Free, Disconnected)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);

		ok(dat_ep_disconnect(pair.active.ep(), DAT_CLOSE_ABRUPT_FLAG));
		pair.active.expect_connection(DAT_CONNECTION_EVENT_DISCONNECTED);
		pair.active.free();
		pair.passive.expect_end();
	});
}

/* Transfers are on the way in both directions. */
TEST(Free, BusyEndpoints)
{
	constexpr std::size_t size = 1 << 20;

	play([](Line &) {
		Adapter adapter;
		Region source(adapter, size), target(adapter, size);

		for (int round = 0; round < 5; round++) {
			Pair pair(adapter);

			for (DAT_UINT64 i = 0; i < 8; i++) {
				ok(pair.active.write(source.local(0, size), target.remote(0, size),
						     i));
				ok(pair.passive.read(source.local(0, size), target.remote(0, size),
						     i));
			}
			pair.active.free();
			pair.passive.free();
		}
	});
}

TEST(Free, QueuesAndZonesInUseStay)
{
	play([](Line &) {
		Adapter adapter;
		Endpoint endpoint(adapter);
		Region region(adapter, 4096);

		fails(DAT_INVALID_STATE, dat_evd_free(endpoint.recv_queue().evd()));
		fails(DAT_INVALID_STATE, dat_evd_free(endpoint.request_queue().evd()));
		fails(DAT_INVALID_STATE, dat_evd_free(endpoint.connect_queue().evd()));
		fails(DAT_INVALID_STATE, dat_pz_free(adapter.pz()));
	});
}

/* ---- ia_close ---- */

TEST(Close, GracefulRefusesWhatIsInUse)
{
	play([](Line &) {
		Adapter adapter;
		Endpoint endpoint(adapter);
		DAT_RETURN result = dat_ia_close(adapter.ia(), DAT_CLOSE_GRACEFUL_FLAG);

		fails(DAT_INVALID_STATE, result);
		EXPECT_EQ(DAT_GET_SUBTYPE(result), DAT_INVALID_STATE_IA_IN_USE);
		endpoint.require_state(DAT_EP_STATE_UNCONNECTED);
	});
}

/* Connected, transferring, listening, asked, and a thread waits: all of it goes. */
TEST(Close, AbruptEndsEverything)
{
	play(
		[](Line &line) {
			Adapter adapter;
			Listener listener(adapter);
			Endpoint endpoint(adapter), asked(adapter), idle(adapter);
			Region region(adapter, 1 << 20);
			DAT_RETURN waited = DAT_SUCCESS;

			serve(line, listener, endpoint);
			ok(asked.connect(adapter.address(), listener.qual()));
			listener.request();
			ok(endpoint.recv(region.local(0, 64), 1));
			DAT_EVD_HANDLE evd = endpoint.recv_queue().evd();
			std::thread waiter([&] {
				DAT_EVENT event;
				DAT_COUNT more;
				line.tell();
				waited = dat_evd_wait(evd, DAT_TIMEOUT_INFINITE, 1, &event, &more);
				/* The receive may come back flushed before the EVD goes. */
				while (waited == DAT_SUCCESS)
					waited = dat_evd_wait(evd, DAT_TIMEOUT_INFINITE, 1, &event,
							      &more);
			});
			line.await();
			DAT_IA_HANDLE ia = adapter.ia();
			adapter.close_abruptly();
			waiter.join();
			EXPECT_TRUE(DAT_GET_TYPE(waited) == DAT_ABORT ||
				    DAT_GET_TYPE(waited) == DAT_INVALID_HANDLE)
				<< result_name(waited);
			fails(DAT_INVALID_HANDLE, dat_ep_free(endpoint.ep()));
			fails(DAT_INVALID_HANDLE, dat_lmr_free(region.lmr()));
			fails(DAT_INVALID_HANDLE, dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG));
		},
		[](Line &line) {
			Adapter adapter;
			Endpoint endpoint(adapter);

			dial(line, adapter, endpoint);
			line.meet();
			endpoint.expect_end();
		});
}

/* ---- a program dies ---- */

/** Keeps RDMA writes of a megabyte on the way until killed. */
void write_for_ever(Line &line)
{
	constexpr std::size_t size = 1 << 20;
	Adapter adapter;
	Endpoint endpoint(adapter);
	Region region(adapter, size);

	line.send(getpid());
	dial(line, adapter, endpoint);
	auto remote = line.receive<DAT_RMR_TRIPLET>();
	for (DAT_UINT64 i = 0;; i++) {
		ok(endpoint.write(region.local(0, size), remote, i));
		if (i >= 8)
			endpoint.expect_request(i - 8, size);
		if (i == 12)
			line.tell();
	}
}

TEST(Killed, PeerHearsOfIt)
{
	play(
		[](Line &line) {
			constexpr std::size_t size = 1 << 20;
			Adapter adapter;
			Listener listener(adapter);
			Endpoint endpoint(adapter);
			Region region(adapter, size), buffer(adapter, 4096);
			pid_t peer = line.receive<pid_t>();

			ok(endpoint.recv(buffer.local(0, 64), 1));
			serve(line, listener, endpoint);
			line.send(region.remote(0, size));
			line.await();
			sys(kill(peer, SIGKILL));
			endpoint.expect_recv_failure(1, DAT_DTO_ERR_FLUSHED);
			endpoint.expect_end();
			line.await_end();

			/* This program goes on. */
			ok(dat_ep_reset(endpoint.ep()));
			Endpoint other(adapter);
			ok(other.connect(adapter.address(), listener.qual()));
			listener.accept(endpoint);
			other.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		},
		write_for_ever, Ending::killed);
}

/* Both sides of a transfer in one program, which is killed with all of it. */
TEST(Killed, WithBothEnds)
{
	play([](Line &line) { sys(kill(line.receive<pid_t>(), SIGKILL)); },
	     [](Line &line) {
		     constexpr std::size_t size = 1 << 20;
		     Adapter adapter;
		     Pair pair(adapter);
		     Region source(adapter, size), target(adapter, size);

		     for (DAT_UINT64 i = 0; i < 8; i++)
			     ok(pair.active.write(source.local(0, size), target.remote(0, size),
						  i));
		     line.send(getpid());
		     for (;;)
			     pause();
	     },
	     Ending::killed);
}

/** Connected, with pinned memory; waits to be killed. */
void connect_and_have_an_heir(Line &line, std::size_t size)
{
	line.await();
	Adapter adapter;
	Endpoint endpoint(adapter);
	Region region(adapter, size);

	line.send(getpid());
	dial(line, adapter, endpoint);
	line.send(make_heir(line));
	for (;;)
		pause();
}

TEST(Killed, WhileAChildHasTheFiles)
{
	constexpr std::size_t size = 1 << 20;

	play(
		[](Line &line) {
			Adapter adapter;
			Listener listener(adapter);
			Endpoint endpoint(adapter);
			std::uint64_t ours = module_query().pinned;

			line.tell();
			pid_t peer = line.receive<pid_t>();
			serve(line, listener, endpoint);
			pid_t heir = line.receive<pid_t>();
			EXPECT_EQ(module_query().pinned, ours + size);
			sys(kill(peer, SIGKILL));
			endpoint.expect_end();
			/* Or for ever, which is a failure. */
			while (module_query().pinned != ours)
				usleep(1000);
			end_process(heir);
		},
		[](Line &line) { connect_and_have_an_heir(line, size); }, Ending::killed);
}

} // namespace
} // namespace suite
