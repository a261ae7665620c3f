// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Endpoints that change before they are connected. */

#include "pair.hpp"
#include "play.hpp"
#include "raw_device.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <thread>

namespace suite {
namespace {

DAT_EP_ATTR attributes_of(const Endpoint &endpoint)
{
	DAT_EP_PARAM param;

	ok(dat_ep_query(endpoint.ep(), DAT_EP_FIELD_ALL, &param));
	return param.ep_attr;
}

DAT_RETURN set_recvs(const Endpoint &endpoint, DAT_COUNT recvs)
{
	DAT_EP_PARAM param{};

	param.ep_attr.max_recv_dtos = recvs;
	return dat_ep_modify(endpoint.ep(), DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS, &param);
}

DAT_RETURN set_recv_evd(const Endpoint &endpoint, DAT_EVD_HANDLE evd)
{
	DAT_EP_PARAM param{};

	param.recv_evd_handle = evd;
	return dat_ep_modify(endpoint.ep(), DAT_EP_FIELD_RECV_EVD_HANDLE, &param);
}

DAT_RETURN set_pz(const Endpoint &endpoint, DAT_PZ_HANDLE pz)
{
	DAT_EP_PARAM param{};

	param.pz_handle = pz;
	return dat_ep_modify(endpoint.ep(), DAT_EP_FIELD_PZ_HANDLE, &param);
}

void connect(Adapter &adapter, Listener &listener, Endpoint &active, Endpoint &passive)
{
	ok(active.connect(adapter.address(), listener.qual()));
	listener.accept(passive);
	active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
}

TEST(EpModify, LongerAndShorterQueues)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter), passive(adapter, { .recvs = 2 });

		ok(set_recvs(passive, 40));
		EXPECT_EQ(attributes_of(passive).max_recv_dtos, 40);
		connect(adapter, listener, active, passive);
		for (DAT_UINT64 i = 0; i < 40; i++)
			ok(passive.recv(Segments(), i));
		fails(DAT_INSUFFICIENT_RESOURCES, passive.recv(Segments(), 40));
		for (DAT_UINT64 i = 0; i < 40; i++) {
			ok(active.send(Segments(), i));
			active.expect_request(i, 0);
			passive.expect_recv(i, 0);
		}
		fails(DAT_INVALID_STATE, set_recvs(passive, 50));
		passive.end_and_reset(DAT_CLOSE_ABRUPT_FLAG);
		active.expect_end();
		ok(dat_ep_reset(active.ep()));

		ok(set_recvs(passive, 3));
		for (DAT_UINT64 i = 0; i < 3; i++)
			ok(passive.recv(Segments(), 100 + i));
		fails(DAT_INSUFFICIENT_RESOURCES, passive.recv(Segments(), 103));
		/* Another queue pair would lose them; fewer would not fit. */
		fails(DAT_INVALID_STATE, set_recvs(passive, 1000));
		fails(DAT_INVALID_STATE, set_recvs(passive, 2));
		EXPECT_EQ(attributes_of(passive).max_recv_dtos, 3);
		connect(adapter, listener, active, passive);
		for (DAT_UINT64 i = 0; i < 3; i++) {
			ok(active.send(Segments(), i));
			active.expect_request(i, 0);
			passive.expect_recv(100 + i, 0);
		}
	});
}

/* Receives that are posted come to the new EVD, and none is lost. */
TEST(EpModify, AnotherEvd)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		EventQueue other(adapter, 16);
		Endpoint active(adapter), passive(adapter);

		ok(passive.recv(Segments(), 1));
		ok(set_recv_evd(passive, other.evd()));
		ok(passive.recv(Segments(), 2));
		connect(adapter, listener, active, passive);
		ok(active.send(Segments(), 1));
		ok(active.send(Segments(), 2));
		for (DAT_UINT64 i = 1; i <= 2; i++) {
			DAT_EVENT event = other.expect(DAT_DTO_COMPLETION_EVENT);
			EXPECT_EQ(event.event_data.dto_completion_event_data.user_cookie.as_64, i);
		}
		passive.recv_queue().require_empty();
		fails(DAT_INVALID_STATE, dat_evd_free(other.evd()));
		fails(DAT_INVALID_STATE, set_recv_evd(passive, passive.recv_queue().evd()));
		passive.end_and_reset(DAT_CLOSE_ABRUPT_FLAG);
		ok(set_recv_evd(passive, passive.recv_queue().evd()));
		fails(DAT_INVALID_PARAMETER, set_recv_evd(passive, listener.queue().evd()));
	});
}

TEST(EpModify, AnotherZone)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter), passive(adapter);
		DAT_PZ_HANDLE zone;

		ok(dat_pz_create(adapter.ia(), &zone));
		{
			Region old(adapter, 4096);
			Region fresh(adapter, 4096, all_privileges, zone);

			ok(passive.recv(old.local(0, 4096), 1));
			ok(set_pz(passive, zone));
			/* It was of the old zone. */
			passive.expect_recv_failure(1, DAT_DTO_ERR_FLUSHED);
			fails(DAT_INVALID_STATE, dat_pz_free(zone));
			fails(DAT_PROTECTION_VIOLATION, passive.recv(old.local(0, 4096), 2));
			ok(passive.recv(fresh.local(0, 4096), 3));
			connect(adapter, listener, active, passive);
			fill(old.bytes(0, 100), 5);
			ok(active.send(old.local(0, 100), 4));
			active.expect_request(4, 100);
			passive.expect_recv(3, 100);
			require_pattern(fresh.bytes(0, 100), 5);
			fails(DAT_INVALID_STATE, set_pz(passive, adapter.pz()));
			passive.end_and_reset(DAT_CLOSE_ABRUPT_FLAG);
			ok(set_pz(passive, adapter.pz()));
		}
		ok(dat_pz_free(zone));
	});
}

/* Made of nothing, and completed before it connects. */
TEST(EpModify, BareEndpoint)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		EventQueue queue(adapter, 64);
		Endpoint passive(adapter);
		DAT_EP_PARAM param{};
		DAT_EP_HANDLE ep;
		DAT_DTO_COOKIE cookie{};

		ok(dat_ep_create(adapter.ia(), DAT_HANDLE_NULL, DAT_HANDLE_NULL, DAT_HANDLE_NULL,
				 queue.evd(), nullptr, &ep));
		fails(DAT_INVALID_STATE,
		      dat_ep_connect(ep, adapter.address(), listener.qual(), 1'000'000, 0, nullptr,
				     DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG));
		param.pz_handle = adapter.pz();
		param.recv_evd_handle = queue.evd();
		param.request_evd_handle = queue.evd();
		param.ep_attr.max_request_dtos = 5;
		/* As the other one's: over iWARP fixed depths must match. */
		param.ep_attr.max_rdma_read_in = 4;
		param.ep_attr.max_rdma_read_out = 4;
		ok(dat_ep_modify(ep,
				 DAT_EP_FIELD_PZ_HANDLE | DAT_EP_FIELD_RECV_EVD_HANDLE |
					 DAT_EP_FIELD_REQUEST_EVD_HANDLE |
					 DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_DTOS |
					 DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_IN |
					 DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_OUT,
				 &param));
		ok(dat_ep_connect(ep, adapter.address(), listener.qual(), 10'000'000, 0, nullptr,
				  DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG));
		ok(passive.recv(Segments(), 1));
		listener.accept(passive);
		queue.expect(DAT_CONNECTION_EVENT_ESTABLISHED);
		ok(dat_ep_post_send(ep, 0, nullptr, cookie, DAT_COMPLETION_DEFAULT_FLAG));
		queue.expect(DAT_DTO_COMPLETION_EVENT);
		passive.expect_recv(1, 0);
		ok(dat_ep_free(ep));
	});
}

/* A reserved one keeps its zone, and may change the rest. */
TEST(EpModify, WhileReserved)
{
	play([](Line &) {
		Adapter adapter;
		EventQueue queue(adapter, 8, DAT_EVD_CR_FLAG), other(adapter, 64);
		Endpoint active(adapter), passive(adapter);
		DAT_CONN_QUAL qual = Listener(adapter).qual();
		DAT_RSP_HANDLE rsp;
		DAT_PZ_HANDLE zone;

		ok(dat_pz_create(adapter.ia(), &zone));
		ok(dat_rsp_create(adapter.ia(), qual, passive.ep(), queue.evd(), &rsp));
		fails(DAT_INVALID_STATE, set_pz(passive, zone));
		ok(set_recvs(passive, 100));
		ok(active.connect(adapter.address(), qual));
		DAT_EVENT event = queue.expect(DAT_CONNECTION_REQUEST_EVENT);
		fails(DAT_INVALID_STATE, set_pz(passive, zone));
		ok(set_recvs(passive, 200));
		ok(set_recv_evd(passive, other.evd()));
		for (DAT_UINT64 i = 0; i < 200; i++)
			ok(passive.recv(Segments(), i));
		ok(dat_cr_accept(event.event_data.cr_arrival_event_data.cr_handle, DAT_HANDLE_NULL,
				 0, nullptr));
		passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		ok(active.send(Segments(), 1));
		other.expect(DAT_DTO_COMPLETION_EVENT);
		ok(dat_rsp_free(rsp));
		ok(dat_pz_free(zone));
		/* Its EVD must outlive it. */
		passive.free();
	});
}

/* ---- a program that does what the library would not ---- */

TEST(HostileModify, WhileAnotherThreadPosts)
{
	play([](Line &) {
		RawIa ia(64);
		std::uint32_t pz = ia.pz(), other = ia.pz(), evd = ia.evd(16), evd2 = ia.evd(16);
		kdapl_ep_create ep = ia.ep_create(pz, evd);
		std::atomic<bool> stop = false;
		std::thread poster([&] {
			kdapl_sqe sqe{};

			sqe.ep = ep.id;
			while (!stop) {
				sqe.op = sqe.cookie++ % 3 ? KDAPL_OP_RECV : KDAPL_OP_SEND;
				ia.push(sqe);
				ia.submit();
			}
		});

		for (std::uint32_t i = 0; i < scaled(400) + 50; i++) {
			kdapl_ep_modify modify{};

			modify.ep = ep.id;
			modify.pz = i % 3 == 0 ? pz : i % 3 == 1 ? other : 0;
			modify.recv_evd = i & 4 ? evd : evd2;
			modify.request_evd = evd;
			modify.connect_evd = i & 8 ? evd : 0;
			modify.max_recvs = 1 + i * 7 % 90;
			modify.max_requests = 1 + i * 5 % 70;
			modify.max_recv_iov = modify.max_request_iov = 1 + i % 2;
			int error = ia.file().call(KDAPL_EP_MODIFY, modify);
			EXPECT_TRUE(error == 0 || error == EBUSY) << error;
		}
		stop = true;
		poster.join();
	});
}

TEST(HostileModify, OffersOfNothing)
{
	play([](Line &) {
		RawIa ia;
		kdapl_cr_offer offer{};

		offer.cr = 7;
		offer.ep = ia.ep_create(ia.pz(), ia.evd()).id;
		EXPECT_EQ(ia.file().call(KDAPL_CR_OFFER, offer), ENOENT);
		offer.pad = 1;
		EXPECT_EQ(ia.file().call(KDAPL_CR_OFFER, offer), EINVAL);
	});
}

} // namespace
} // namespace suite
