// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Connections with programs of verbs and rdma_cm, which say what no program of DAT would. */

#include "endpoint.hpp"
#include "play.hpp"
#include "verbs_peer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace suite {
namespace {

using Clock = std::chrono::steady_clock;

class VerbsPeerTest : public testing::Test {
protected:
	void SetUp() override
	{
		/* There, who connects is up when it is accepted, and says nothing more. */
		if (Adapter::iwarp())
			GTEST_SKIP() << "not over InfiniBand's connection manager";
	}
};

/** The EP waits for the peer to say that it is ready. */
void accept_from(VerbsPeer &peer, const Adapter &adapter, Listener &listener, Endpoint &endpoint,
		 std::uint8_t serves = 1, std::uint8_t asks = 1)
{
	peer.connect(reinterpret_cast<sockaddr *>(adapter.address()), listener.qual(), serves,
		     asks);
	ok(accept_request(listener.request(), endpoint));
	peer.expect(RDMA_CM_EVENT_CONNECT_RESPONSE);
	endpoint.require_state(DAT_EP_STATE_COMPLETION_PENDING);
}

DAT_COUNT reads_out(const Endpoint &endpoint)
{
	DAT_EP_PARAM param;

	ok(dat_ep_query(endpoint.ep(), DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_OUT, &param));
	return param.ep_attr.max_rdma_read_out;
}

/*
 * Its word may be lost, or late: its first message says as much. The event of the
 * connection comes before that of the message all the same.
 */
TEST_F(VerbsPeerTest, AMessageSaysThatItIsReady)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint endpoint(adapter, { .one_queue = true });
		Region region(adapter, 4096);
		VerbsPeer peer;

		ok(endpoint.recv(region.local(0, 4096), 7));
		accept_from(peer, adapter, listener, endpoint);
		peer.ready();
		fill(peer.memory().first(100), 3);
		peer.send(100);
		endpoint.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		endpoint.expect_recv(7, 100);
		require_pattern(region.bytes(0, 100), 3);

		/* Now it comes, and is nothing new. */
		peer.establish();
		peer.post_recv();
		fill(region.bytes(0, 200), 4);
		ok(endpoint.send(region.local(0, 200), 8));
		EXPECT_EQ(peer.received(), 200U);
		require_pattern(peer.memory().first(200), 4);
		endpoint.expect_request(8, 200);
		endpoint.require_state(DAT_EP_STATE_CONNECTED);
		peer.leave();
		endpoint.expect_end();
	});
}

TEST_F(VerbsPeerTest, LeavesBeforeItIsReady)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint endpoint(adapter);
		Region region(adapter, 4096);

		for (DAT_UINT64 round = 0; round < 3; round++) {
			VerbsPeer peer;

			ok(endpoint.recv(region.local(0, 64), round));
			accept_from(peer, adapter, listener, endpoint);
			peer.leave();
			endpoint.expect_connection(DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR);
			endpoint.expect_recv_failure(round, DAT_DTO_ERR_FLUSHED);
			endpoint.require_state(DAT_EP_STATE_DISCONNECTED);
			ok(dat_ep_reset(endpoint.ep()));
		}
	});
}

/* Who accepted need not wait for it, and the peer learns that it has gone. */
TEST_F(VerbsPeerTest, IsNotWaitedFor)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint endpoint(adapter);
		VerbsPeer peer;

		accept_from(peer, adapter, listener, endpoint);
		const auto begin = Clock::now();
		endpoint.free();
		EXPECT_LT(Clock::now() - begin, std::chrono::seconds(15));
		peer.expect(RDMA_CM_EVENT_REJECTED);
	});
}

/* As many as both ends can, whatever the peer says; also where it says the impossible. */
TEST_F(VerbsPeerTest, ReadsAreWhatBothCan)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint endpoint(adapter, { .defaults = true });
		const DAT_COUNT most = reads_out(endpoint);
		const DAT_COUNT serves = adapter.attributes().max_rdma_read_per_ep_in;

		for (std::uint8_t reads : std::to_array<std::uint8_t>({ 0, 1, 255 })) {
			VerbsPeer peer;

			accept_from(peer, adapter, listener, endpoint, reads, reads);
			EXPECT_EQ(reads_out(endpoint), std::min<DAT_COUNT>(most, reads));
			EXPECT_EQ(peer.peer_asks(), std::min<DAT_COUNT>(most, reads));
			EXPECT_EQ(peer.peer_serves(), std::min<DAT_COUNT>(serves, reads));
			peer.leave();
			endpoint.expect_connection(DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR);
			ok(dat_ep_reset(endpoint.ep()));
		}
	});
}

TEST_F(VerbsPeerTest, ServesNoReads)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint endpoint(adapter, { .defaults = true });
		Region region(adapter, 4096);
		VerbsPeer peer;

		accept_from(peer, adapter, listener, endpoint, 0, 0);
		peer.ready();
		peer.establish();
		endpoint.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		ok(endpoint.read(region.local(0, 64), region.remote(0, 64), 1));
		endpoint.expect_request_failure(1, DAT_DTO_ERR_LOCAL_EP);
		endpoint.expect_broken(adapter);
	});
}

/* The same of one that is asked. */
TEST_F(VerbsPeerTest, AcceptsWithFewerReads)
{
	play([](Line &) {
		Adapter adapter;
		Endpoint endpoint(adapter, { .defaults = true });

		for (std::uint8_t reads : std::to_array<std::uint8_t>({ 0, 1 })) {
			VerbsPeer peer;
			const DAT_CONN_QUAL qual =
				peer.listen(reinterpret_cast<sockaddr *>(adapter.address()));

			ok(endpoint.connect(adapter.address(), qual));
			peer.take_request();
			peer.accept(reads, 0);
			endpoint.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
			peer.expect(RDMA_CM_EVENT_ESTABLISHED);
			EXPECT_EQ(reads_out(endpoint), reads);
			endpoint.end_and_reset(DAT_CLOSE_ABRUPT_FLAG);
			peer.expect(RDMA_CM_EVENT_DISCONNECTED);
		}
	});
}

/* It is no program of DAT that rejects, unless its data begin with the versions of one. */
TEST_F(VerbsPeerTest, RejectsAsNoConsumerOfDatDoes)
{
	play([](Line &) {
		Adapter adapter;
		Endpoint endpoint(adapter);
		std::array<unsigned char, 148> full;

		full.fill(0xff);
		for (std::size_t size : { std::size_t{ 0 }, std::size_t{ 3 }, full.size() }) {
			VerbsPeer peer;
			const DAT_CONN_QUAL qual =
				peer.listen(reinterpret_cast<sockaddr *>(adapter.address()));

			ok(endpoint.connect(adapter.address(), qual));
			peer.take_request();
			peer.reject(std::span(full).first(size));
			endpoint.expect_connection(DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
			endpoint.require_state(DAT_EP_STATE_DISCONNECTED);
			ok(dat_ep_reset(endpoint.ep()));
		}
	});
}

} // namespace
} // namespace suite
