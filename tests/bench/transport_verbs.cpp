// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/** Raw verbs: a user queue pair of libibverbs, connected by librdmacm. */

#include "memory.hpp"
#include "transport.hpp"

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include <arpa/inet.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <type_traits>

namespace bench {

const char *const transport_name = "verbs";

namespace {

template <auto function>
struct Closer {
	template <typename T>
	void operator()(T *p) const noexcept
	{
		(void)function(p);
	}
};

template <typename T, auto function>
using Handle = std::unique_ptr<T, Closer<function>>;

/** What a call that sets errno returned, or an exception. */
template <typename T>
T *check(T *p, const char *what)
{
	if (!p)
		throw std::system_error(errno, std::generic_category(), what);
	return p;
}

void check(int ret, const char *what)
{
	if (ret)
		throw std::system_error(ret > 0 ? ret : errno, std::generic_category(), what);
}

/** A completion queue with the channel that a waiter sleeps on. */
struct CompletionQueue {
	Handle<ibv_comp_channel, ibv_destroy_comp_channel> channel;
	Handle<ibv_cq, ibv_destroy_cq> cq;

	CompletionQueue(ibv_context *context, unsigned entries)
		: channel(check(ibv_create_comp_channel(context), "ibv_create_comp_channel")),
		  cq(check(ibv_create_cq(context, static_cast<int>(entries), nullptr, channel.get(),
					 0),
			   "ibv_create_cq"))
	{
	}

	unsigned poll(unsigned most);
	unsigned wait(unsigned most);
};

unsigned CompletionQueue::poll(unsigned most)
{
	ibv_wc wc[Transport::batch];
	const int n = ibv_poll_cq(cq.get(), static_cast<int>(most), wc);

	if (n < 0)
		throw std::runtime_error("ibv_poll_cq failed");
	for (int i = 0; i < n; i++) {
		if (wc[i].status != IBV_WC_SUCCESS)
			throw std::runtime_error(std::string("completion: ") +
						 ibv_wc_status_str(wc[i].status));
	}
	return static_cast<unsigned>(n);
}

/** Arm, look once more, sleep. */
unsigned CompletionQueue::wait(unsigned most)
{
	for (;;) {
		if (unsigned n = poll(most))
			return n;
		check(ibv_req_notify_cq(cq.get(), 0), "ibv_req_notify_cq");
		if (unsigned n = poll(most))
			return n;
		ibv_cq *which;
		void *context;
		check(ibv_get_cq_event(channel.get(), &which, &context), "ibv_get_cq_event");
		ibv_ack_cq_events(which, 1);
	}
}

class VerbsTransport final : public Transport {
public:
	explicit VerbsTransport(const Config &config);
	~VerbsTransport() override;

	void connect() override;
	void await_end() override { await(RDMA_CM_EVENT_DISCONNECTED); }
	void post_send(Piece local) override { post_request(IBV_WR_SEND, local, {}); }
	void post_recv(Piece local) override;
	void post_write(Piece local, Remote remote) override
	{
		post_request(IBV_WR_RDMA_WRITE, local, remote);
	}
	void post_read(Piece local, Remote remote) override
	{
		post_request(IBV_WR_RDMA_READ, local, remote);
	}
	unsigned poll(Queue queue, unsigned most) override { return of(queue).poll(most); }
	unsigned wait(Queue queue, unsigned most) override { return of(queue).wait(most); }
	std::byte *memory() override { return memory_.get(); }
	Remote local() const override
	{
		return { reinterpret_cast<std::uint64_t>(memory_.get()), mr_->rkey };
	}

private:
	using Channel = Handle<rdma_event_channel, rdma_destroy_event_channel>;
	using Id = Handle<rdma_cm_id, rdma_destroy_id>;

	void resolve();
	void listen();
	void make_queues();
	Id await(rdma_cm_event_type type);
	void post_request(ibv_wr_opcode opcode, Piece local, Remote remote);
	ibv_sge sge(Piece local) const;
	CompletionQueue &of(Queue queue) { return queue == Queue::recv ? *recv_cq_ : *request_cq_; }

	const Config config_;
	Memory memory_;
	Channel channel_;
	Id listener_;
	Id id_;
	Handle<ibv_pd, ibv_dealloc_pd> pd_;
	Handle<ibv_mr, ibv_dereg_mr> mr_;
	std::unique_ptr<CompletionQueue> request_cq_, recv_cq_;
	Handle<ibv_qp, ibv_destroy_qp> qp_;
};

constexpr int resolve_ms = 5000;
constexpr std::uint8_t retries = 7;

sockaddr_in server_address(const Config &config)
{
	sockaddr_in address{};

	address.sin_family = AF_INET;
	address.sin_port = htons(config.port);
	if (inet_pton(AF_INET, config.address.c_str(), &address.sin_addr) != 1)
		throw std::runtime_error("not an IPv4 address: " + config.address);
	return address;
}

VerbsTransport::VerbsTransport(const Config &config)
	: config_(config), memory_(make_memory(config.memory)),
	  channel_(check(rdma_create_event_channel(), "rdma_create_event_channel"))
{
	if (config_.server)
		listen();
	else
		resolve();
	make_queues();
}

/*
 * The server's queues are made before a client is there, on a device that an
 * identifier bound to the address tells; they then serve the client's.
 */
void VerbsTransport::listen()
{
	sockaddr_in address = server_address(config_);
	rdma_cm_id *id;

	check(rdma_create_id(channel_.get(), &id, nullptr, RDMA_PS_TCP), "rdma_create_id");
	listener_.reset(id);
	check(rdma_bind_addr(id, reinterpret_cast<sockaddr *>(&address)), "rdma_bind_addr");
	check(rdma_listen(id, 1), "rdma_listen");
}

void VerbsTransport::resolve()
{
	sockaddr_in address = server_address(config_);
	rdma_cm_id *id;

	check(rdma_create_id(channel_.get(), &id, nullptr, RDMA_PS_TCP), "rdma_create_id");
	id_.reset(id);
	check(rdma_resolve_addr(id, nullptr, reinterpret_cast<sockaddr *>(&address), resolve_ms),
	      "rdma_resolve_addr");
	await(RDMA_CM_EVENT_ADDR_RESOLVED);
	check(rdma_resolve_route(id, resolve_ms), "rdma_resolve_route");
	await(RDMA_CM_EVENT_ROUTE_RESOLVED);
}

/** The queue pair is our own, so that receives can be posted before a connection. */
void VerbsTransport::make_queues()
{
	ibv_context *context = config_.server ? listener_->verbs : id_->verbs;

	pd_.reset(check(ibv_alloc_pd(context), "ibv_alloc_pd"));
	mr_.reset(check(ibv_reg_mr(pd_.get(), memory_.get(), config_.memory,
				   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
					   IBV_ACCESS_REMOTE_READ),
			"ibv_reg_mr"));
	request_cq_ = std::make_unique<CompletionQueue>(context, config_.requests);
	recv_cq_ = std::make_unique<CompletionQueue>(context, config_.recvs);

	ibv_qp_init_attr init{};
	init.send_cq = request_cq_->cq.get();
	init.recv_cq = recv_cq_->cq.get();
	init.cap.max_send_wr = config_.requests;
	init.cap.max_recv_wr = config_.recvs;
	init.cap.max_send_sge = 1;
	init.cap.max_recv_sge = 1;
	init.qp_type = IBV_QPT_RC;
	init.sq_sig_all = 1;
	qp_.reset(check(ibv_create_qp(pd_.get(), &init), "ibv_create_qp"));

	ibv_qp_attr attr{};
	attr.qp_state = IBV_QPS_INIT;
	attr.port_num = (config_.server ? listener_ : id_)->port_num;
	attr.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
	check(ibv_modify_qp(qp_.get(), &attr,
			    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
	      "ibv_modify_qp to INIT");
}

/** The next event, which must be this one; a new identifier comes with a request. */
VerbsTransport::Id VerbsTransport::await(rdma_cm_event_type type)
{
	rdma_cm_event *event;

	check(rdma_get_cm_event(channel_.get(), &event), "rdma_get_cm_event");
	const rdma_cm_event_type got = event->event;
	Id id(got == RDMA_CM_EVENT_CONNECT_REQUEST ? event->id : nullptr);
	rdma_ack_cm_event(event);
	if (got != type)
		throw std::runtime_error(std::string("connection: ") + rdma_event_str(got));
	return id;
}

void move_qp(rdma_cm_id *id, ibv_qp *qp, ibv_qp_state state)
{
	ibv_qp_attr attr{};
	int mask;

	attr.qp_state = state;
	check(rdma_init_qp_attr(id, &attr, &mask), "rdma_init_qp_attr");
	check(ibv_modify_qp(qp, &attr, mask), "ibv_modify_qp");
}

void VerbsTransport::connect()
{
	rdma_conn_param param{};

	param.responder_resources = static_cast<std::uint8_t>(config_.reads);
	param.initiator_depth = static_cast<std::uint8_t>(config_.reads);
	param.retry_count = retries;
	param.rnr_retry_count = retries;
	param.qp_num = qp_->qp_num;
	if (config_.server) {
		id_ = await(RDMA_CM_EVENT_CONNECT_REQUEST);
		move_qp(id_.get(), qp_.get(), IBV_QPS_RTR);
		move_qp(id_.get(), qp_.get(), IBV_QPS_RTS);
		check(rdma_accept(id_.get(), &param), "rdma_accept");
	} else {
		check(rdma_connect(id_.get(), &param), "rdma_connect");
		await(RDMA_CM_EVENT_CONNECT_RESPONSE);
		move_qp(id_.get(), qp_.get(), IBV_QPS_RTR);
		move_qp(id_.get(), qp_.get(), IBV_QPS_RTS);
		check(rdma_establish(id_.get()), "rdma_establish");
		return;
	}
	await(RDMA_CM_EVENT_ESTABLISHED);
}

VerbsTransport::~VerbsTransport()
{
	if (id_)
		rdma_disconnect(id_.get());
}

ibv_sge VerbsTransport::sge(Piece local) const
{
	return { .addr = reinterpret_cast<std::uint64_t>(memory_.get()) + local.offset,
		 .length = local.length,
		 .lkey = mr_->lkey };
}

void VerbsTransport::post_recv(Piece local)
{
	ibv_sge segment = sge(local);
	ibv_recv_wr wr{}, *bad;

	wr.sg_list = &segment;
	wr.num_sge = 1;
	check(ibv_post_recv(qp_.get(), &wr, &bad), "ibv_post_recv");
}

void VerbsTransport::post_request(ibv_wr_opcode opcode, Piece local, Remote remote)
{
	ibv_sge segment = sge(local);
	ibv_send_wr wr{}, *bad;

	wr.sg_list = &segment;
	wr.num_sge = 1;
	wr.opcode = opcode;
	wr.wr.rdma.remote_addr = remote.address;
	wr.wr.rdma.rkey = remote.key;
	check(ibv_post_send(qp_.get(), &wr, &bad), "ibv_post_send");
}

} // namespace

std::unique_ptr<Transport> make_transport(const Config &config)
{
	return std::make_unique<VerbsTransport>(config);
}

} // namespace bench
