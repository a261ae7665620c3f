// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "verbs_peer.hpp"

#include "settings.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <poll.h>
#include <thread>

namespace suite {
namespace {

constexpr int resolve_ms = 2000;

/* What is called sets errno. */
void done(int result, Location where = Location::current())
{
	require(result == 0, std::strerror(errno), where);
}

template <typename Handle, typename T>
void keep(Handle &handle, T *object, Location where = Location::current())
{
	require(object != nullptr, std::strerror(errno), where);
	handle.reset(object);
}

} // namespace

VerbsPeer::VerbsPeer()
{
	keep(channel_, rdma_create_event_channel());
}

VerbsPeer::~VerbsPeer()
{
	leave();
}

void VerbsPeer::leave() noexcept
{
	id_.reset();
	qp_.reset();
}

void VerbsPeer::make_queues()
{
	ibv_qp_init_attr attr{};

	keep(pd_, ibv_alloc_pd(id_->verbs));
	keep(cq_, ibv_create_cq(id_->verbs, 16, nullptr, nullptr, 0));
	/* Its macro mixes enumerations: no constant of one for it. */
	const int access = IBV_ACCESS_LOCAL_WRITE;
	keep(mr_, ibv_reg_mr(pd_.get(), memory_, sizeof memory_, access));
	attr.send_cq = attr.recv_cq = cq_.get();
	attr.cap = { .max_send_wr = 4,
		     .max_recv_wr = 4,
		     .max_send_sge = 1,
		     .max_recv_sge = 1,
		     .max_inline_data = 0 };
	attr.qp_type = IBV_QPT_RC;
	attr.sq_sig_all = 1;
	keep(qp_, ibv_create_qp(pd_.get(), &attr));
}

rdma_conn_param VerbsPeer::parameters(std::uint8_t serves, std::uint8_t asks) const noexcept
{
	rdma_conn_param param{};

	param.responder_resources = serves;
	param.initiator_depth = asks;
	param.retry_count = 7;
	param.rnr_retry_count = 7;
	param.qp_num = qp_->qp_num;
	return param;
}

void VerbsPeer::expect(rdma_cm_event_type type, Location where)
{
	pollfd waiting{ channel_->fd, POLLIN, 0 };
	rdma_cm_event *event = nullptr;

	require(poll(&waiting, 1, static_cast<int>(patience().count())) == 1,
		std::string("no ") + rdma_event_str(type), where);
	done(rdma_get_cm_event(channel_.get(), &event), where);
	const rdma_cm_event_type came = event->event;
	if (came == RDMA_CM_EVENT_CONNECT_RESPONSE) {
		/* As its sender counts them. */
		peer_serves_ = event->param.conn.initiator_depth;
		peer_asks_ = event->param.conn.responder_resources;
	}
	if (came == RDMA_CM_EVENT_CONNECT_REQUEST)
		id_.reset(event->id);
	done(rdma_ack_cm_event(event), where);
	require(came == type, std::string(rdma_event_str(came)) + ", not " + rdma_event_str(type),
		where);
}

void VerbsPeer::connect(sockaddr *address, std::uint64_t qual, std::uint8_t serves,
			std::uint8_t asks)
{
	sockaddr_in to = *reinterpret_cast<sockaddr_in *>(address);
	rdma_cm_id *id = nullptr;

	to.sin_port = htons(static_cast<std::uint16_t>(qual));
	done(rdma_create_id(channel_.get(), &id, nullptr, RDMA_PS_TCP));
	id_.reset(id);
	done(rdma_resolve_addr(id, nullptr, reinterpret_cast<sockaddr *>(&to), resolve_ms));
	expect(RDMA_CM_EVENT_ADDR_RESOLVED);
	done(rdma_resolve_route(id, resolve_ms));
	expect(RDMA_CM_EVENT_ROUTE_RESOLVED);
	make_queues();
	rdma_conn_param param = parameters(serves, asks);
	done(rdma_connect(id, &param));
}

std::uint64_t VerbsPeer::listen(sockaddr *address)
{
	sockaddr_in at = *reinterpret_cast<sockaddr_in *>(address);
	rdma_cm_id *id = nullptr;

	at.sin_port = 0;
	done(rdma_create_id(channel_.get(), &id, nullptr, RDMA_PS_TCP));
	listener_.reset(id);
	done(rdma_bind_addr(id, reinterpret_cast<sockaddr *>(&at)));
	done(rdma_listen(id, 4));
	return ntohs(rdma_get_src_port(id));
}

void VerbsPeer::take_request()
{
	expect(RDMA_CM_EVENT_CONNECT_REQUEST);
	make_queues();
}

void VerbsPeer::accept(std::uint8_t serves, std::uint8_t asks)
{
	rdma_conn_param param = parameters(serves, asks);

	ready();
	done(rdma_accept(id_.get(), &param));
}

void VerbsPeer::reject(std::span<const unsigned char> data)
{
	done(rdma_reject(id_.get(), data.data(), static_cast<std::uint8_t>(data.size())));
}

void VerbsPeer::move(ibv_qp_state state)
{
	ibv_qp_attr attr{};
	int mask = 0;

	attr.qp_state = state;
	done(rdma_init_qp_attr(id_.get(), &attr, &mask));
	require(ibv_modify_qp(qp_.get(), &attr, mask) == 0, "ibv_modify_qp");
}

void VerbsPeer::ready()
{
	for (ibv_qp_state state : { IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS })
		move(state);
}

void VerbsPeer::establish()
{
	done(rdma_establish(id_.get()));
}

ibv_wc VerbsPeer::completion()
{
	const auto limit = std::chrono::steady_clock::now() + patience();
	ibv_wc wc;

	while (ibv_poll_cq(cq_.get(), 1, &wc) == 0) {
		require(std::chrono::steady_clock::now() < limit, "nothing completes");
		std::this_thread::yield();
	}
	require(wc.status == IBV_WC_SUCCESS, ibv_wc_status_str(wc.status));
	return wc;
}

void VerbsPeer::send(std::size_t length)
{
	ibv_sge sge{ reinterpret_cast<std::uintptr_t>(memory_), static_cast<std::uint32_t>(length),
		     mr_->lkey };
	ibv_send_wr wr{}, *bad = nullptr;

	wr.sg_list = &sge;
	wr.num_sge = 1;
	wr.opcode = IBV_WR_SEND;
	require(ibv_post_send(qp_.get(), &wr, &bad) == 0, "ibv_post_send");
	completion();
}

void VerbsPeer::post_recv()
{
	ibv_sge sge{ reinterpret_cast<std::uintptr_t>(memory_), sizeof memory_, mr_->lkey };
	ibv_recv_wr wr{}, *bad = nullptr;

	wr.sg_list = &sge;
	wr.num_sge = 1;
	require(ibv_post_recv(qp_.get(), &wr, &bad) == 0, "ibv_post_recv");
}

std::size_t VerbsPeer::received()
{
	return completion().byte_len;
}

} // namespace suite
