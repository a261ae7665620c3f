// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * uDAPL: ours (1.2), or with BENCH_OFED the OFED one (2.0). The two headers
 * spell a few things differently; all of that stands at the top.
 */

#include "memory.hpp"
#include "transport.hpp"

#ifdef BENCH_OFED
#include <dat2/udat.h>
#else
#include <dat/udat.h>
#endif

#include <arpa/inet.h>
#include <netinet/in.h>

#include <string>
#include <stdexcept>

namespace bench {

#ifdef BENCH_OFED
const char *const transport_name = "ofed";
#else
const char *const transport_name = "kdapl";
#endif

namespace {

DAT_RETURN register_memory(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz, DAT_REGION_DESCRIPTION region,
			   DAT_VLEN length, DAT_LMR_HANDLE *lmr, DAT_LMR_CONTEXT *lmr_context,
			   DAT_RMR_CONTEXT *rmr_context)
{
	DAT_VLEN size;
	DAT_VADDR address;

	return dat_lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, region, length, pz, DAT_MEM_PRIV_ALL_FLAG,
#ifdef BENCH_OFED
			      DAT_VA_TYPE_VA,
#endif
			      lmr, lmr_context, rmr_context, &size, &address);
}

DAT_RMR_TRIPLET remote_triplet(Remote remote, std::uint32_t length)
{
	DAT_RMR_TRIPLET triplet{};

	triplet.rmr_context = remote.key;
#ifdef BENCH_OFED
	triplet.virtual_address = remote.address;
#else
	triplet.target_address = remote.address;
#endif
	triplet.segment_length = length;
	return triplet;
}

constexpr DAT_COUNT async_qlen = 8;
constexpr DAT_COUNT connection_qlen = 8;
constexpr DAT_TIMEOUT connect_us = 10'000'000;
constexpr DAT_TIMEOUT disconnect_us = 2'000'000;

void check(DAT_RETURN ret, const char *what)
{
	const char *major = "?", *minor = "";

	if (ret == DAT_SUCCESS)
		return;
	dat_strerror(ret, &major, &minor);
	throw std::runtime_error(std::string(what) + ": " + major + " " + (minor ? minor : ""));
}

class DatTransport final : public Transport {
public:
	explicit DatTransport(const Config &config);
	~DatTransport() override;

	void connect() override;
	void await_end() override;
	void post_send(Piece local) override;
	void post_recv(Piece local) override;
	void post_write(Piece local, Remote remote) override;
	void post_read(Piece local, Remote remote) override;
	unsigned poll(Queue queue, unsigned most) override { return poll(of(queue), most); }
	unsigned wait(Queue queue, unsigned most) override;
	std::byte *memory() override { return memory_.get(); }
	Remote local() const override
	{
		return { reinterpret_cast<std::uint64_t>(memory_.get()), rmr_context_ };
	}

private:
	/** Closing the adapter frees whatever was made from it. */
	struct Adapter {
		DAT_IA_HANDLE handle = DAT_HANDLE_NULL;

		Adapter() = default;
		Adapter(const Adapter &) = delete;
		Adapter &operator=(const Adapter &) = delete;
		~Adapter()
		{
			if (handle != DAT_HANDLE_NULL)
				dat_ia_close(handle, DAT_CLOSE_ABRUPT_FLAG);
		}
	};

	DAT_EVD_HANDLE make_evd(unsigned qlen, DAT_EVD_FLAGS flags);
	void make_ep();
	void await_connection();
	DAT_LMR_TRIPLET triplet(Piece local) const;
	DAT_EVD_HANDLE of(Queue queue) { return queue == Queue::recv ? recv_evd_ : request_evd_; }
	unsigned poll(DAT_EVD_HANDLE evd, unsigned most);

	const Config config_;
	Memory memory_;
	Adapter ia_;
	DAT_PZ_HANDLE pz_ = DAT_HANDLE_NULL;
	DAT_LMR_HANDLE lmr_ = DAT_HANDLE_NULL;
	DAT_LMR_CONTEXT lmr_context_ = 0;
	DAT_RMR_CONTEXT rmr_context_ = 0;
	DAT_EVD_HANDLE request_evd_ = DAT_HANDLE_NULL;
	DAT_EVD_HANDLE recv_evd_ = DAT_HANDLE_NULL;
	DAT_EVD_HANDLE connect_evd_ = DAT_HANDLE_NULL;
	DAT_EVD_HANDLE cr_evd_ = DAT_HANDLE_NULL;
	DAT_EP_HANDLE ep_ = DAT_HANDLE_NULL;
	DAT_PSP_HANDLE psp_ = DAT_HANDLE_NULL;
	bool connected_ = false;
};

DatTransport::DatTransport(const Config &config)
	: config_(config), memory_(make_memory(config.memory))
{
	std::string name = config_.adapter;
	DAT_EVD_HANDLE async_evd = DAT_HANDLE_NULL;
	DAT_REGION_DESCRIPTION region{};

	check(dat_ia_open(name.data(), async_qlen, &async_evd, &ia_.handle), "dat_ia_open");
	check(dat_pz_create(ia_.handle, &pz_), "dat_pz_create");
	region.for_va = memory_.get();
	check(register_memory(ia_.handle, pz_, region, config_.memory, &lmr_, &lmr_context_,
			      &rmr_context_),
	      "dat_lmr_create");
	request_evd_ = make_evd(config_.requests, DAT_EVD_DTO_FLAG);
	recv_evd_ = make_evd(config_.recvs, DAT_EVD_DTO_FLAG);
	connect_evd_ = make_evd(connection_qlen, DAT_EVD_CONNECTION_FLAG);
	make_ep();
	if (config_.server) {
		cr_evd_ = make_evd(connection_qlen, DAT_EVD_CR_FLAG);
		check(dat_psp_create(ia_.handle, config_.port, cr_evd_, DAT_PSP_CONSUMER_FLAG,
				     &psp_),
		      "dat_psp_create");
	}
}

DAT_EVD_HANDLE DatTransport::make_evd(unsigned qlen, DAT_EVD_FLAGS flags)
{
	DAT_EVD_HANDLE evd;

	check(dat_evd_create(ia_.handle, static_cast<DAT_COUNT>(qlen), DAT_HANDLE_NULL, flags,
			     &evd),
	      "dat_evd_create");
	return evd;
}

void DatTransport::make_ep()
{
	DAT_EP_ATTR attr{};

	attr.service_type = DAT_SERVICE_TYPE_RC;
	attr.max_message_size = config_.memory;
	attr.max_rdma_size = config_.memory;
	attr.qos = DAT_QOS_BEST_EFFORT;
	attr.recv_completion_flags = DAT_COMPLETION_DEFAULT_FLAG;
	attr.request_completion_flags = DAT_COMPLETION_DEFAULT_FLAG;
	attr.max_recv_dtos = static_cast<DAT_COUNT>(config_.recvs);
	attr.max_request_dtos = static_cast<DAT_COUNT>(config_.requests);
	attr.max_recv_iov = 1;
	attr.max_request_iov = 1;
	attr.max_rdma_read_in = static_cast<DAT_COUNT>(config_.reads);
	attr.max_rdma_read_out = static_cast<DAT_COUNT>(config_.reads);
	attr.max_rdma_read_iov = 1;
	attr.max_rdma_write_iov = 1;
	check(dat_ep_create(ia_.handle, pz_, recv_evd_, request_evd_, connect_evd_, &attr, &ep_),
	      "dat_ep_create");
}

void DatTransport::connect()
{
	if (config_.server) {
		DAT_EVENT event;
		DAT_COUNT more;

		check(dat_evd_wait(cr_evd_, DAT_TIMEOUT_INFINITE, 1, &event, &more),
		      "waiting for a client");
		check(dat_cr_accept(event.event_data.cr_arrival_event_data.cr_handle, ep_, 0,
				    nullptr),
		      "dat_cr_accept");
	} else {
		sockaddr_in address{};

		address.sin_family = AF_INET;
		if (inet_pton(AF_INET, config_.address.c_str(), &address.sin_addr) != 1)
			throw std::runtime_error("not an IPv4 address: " + config_.address);
		check(dat_ep_connect(ep_, reinterpret_cast<DAT_IA_ADDRESS_PTR>(&address),
				     config_.port, connect_us, 0, nullptr, DAT_QOS_BEST_EFFORT,
				     DAT_CONNECT_DEFAULT_FLAG),
		      "dat_ep_connect");
	}
	await_connection();
}

void DatTransport::await_connection()
{
	DAT_EVENT event;
	DAT_COUNT more;

	check(dat_evd_wait(connect_evd_, connect_us, 1, &event, &more), "waiting for a connection");
	if (event.event_number != DAT_CONNECTION_EVENT_ESTABLISHED)
		throw std::runtime_error("no connection: event " +
					 std::to_string(event.event_number));
	connected_ = true;
}

/* The end is the peer's, whatever it is called. */
void DatTransport::await_end()
{
	DAT_EVENT event;
	DAT_COUNT more;

	check(dat_evd_wait(connect_evd_, disconnect_us, 1, &event, &more), "waiting for the end");
	connected_ = false;
}

/* The event tells that the peer is through with its end as well. */
DatTransport::~DatTransport()
{
	DAT_EVENT event;
	DAT_COUNT more;

	if (connected_ && dat_ep_disconnect(ep_, DAT_CLOSE_ABRUPT_FLAG) == DAT_SUCCESS)
		dat_evd_wait(connect_evd_, disconnect_us, 1, &event, &more);
}

DAT_LMR_TRIPLET DatTransport::triplet(Piece local) const
{
	DAT_LMR_TRIPLET triplet{};

	triplet.lmr_context = lmr_context_;
	triplet.virtual_address = reinterpret_cast<DAT_VADDR>(memory_.get()) + local.offset;
	triplet.segment_length = local.length;
	return triplet;
}

void DatTransport::post_send(Piece local)
{
	DAT_LMR_TRIPLET iov = triplet(local);

	check(dat_ep_post_send(ep_, 1, &iov, DAT_DTO_COOKIE{}, DAT_COMPLETION_DEFAULT_FLAG),
	      "dat_ep_post_send");
}

void DatTransport::post_recv(Piece local)
{
	DAT_LMR_TRIPLET iov = triplet(local);

	check(dat_ep_post_recv(ep_, 1, &iov, DAT_DTO_COOKIE{}, DAT_COMPLETION_DEFAULT_FLAG),
	      "dat_ep_post_recv");
}

void DatTransport::post_write(Piece local, Remote remote)
{
	DAT_LMR_TRIPLET iov = triplet(local);
	DAT_RMR_TRIPLET to = remote_triplet(remote, local.length);

	check(dat_ep_post_rdma_write(ep_, 1, &iov, DAT_DTO_COOKIE{}, &to,
				     DAT_COMPLETION_DEFAULT_FLAG),
	      "dat_ep_post_rdma_write");
}

void DatTransport::post_read(Piece local, Remote remote)
{
	DAT_LMR_TRIPLET iov = triplet(local);
	DAT_RMR_TRIPLET from = remote_triplet(remote, local.length);

	check(dat_ep_post_rdma_read(ep_, 1, &iov, DAT_DTO_COOKIE{}, &from,
				    DAT_COMPLETION_DEFAULT_FLAG),
	      "dat_ep_post_rdma_read");
}

void check_completion(const DAT_EVENT &event)
{
	const auto &dto = event.event_data.dto_completion_event_data;

	if (event.event_number != DAT_DTO_COMPLETION_EVENT || dto.status != DAT_DTO_SUCCESS)
		throw std::runtime_error("event " + std::to_string(event.event_number) +
					 ", status " + std::to_string(dto.status));
}

unsigned DatTransport::poll(DAT_EVD_HANDLE evd, unsigned most)
{
	DAT_EVENT event;
	unsigned n = 0;

	for (; n < most; n++) {
		const DAT_RETURN ret = dat_evd_dequeue(evd, &event);
		if (DAT_GET_TYPE(ret) == DAT_QUEUE_EMPTY)
			break;
		check(ret, "dat_evd_dequeue");
		check_completion(event);
	}
	return n;
}

unsigned DatTransport::wait(Queue queue, unsigned most)
{
	const DAT_EVD_HANDLE evd = of(queue);
	DAT_EVENT event;
	DAT_COUNT more;

	check(dat_evd_wait(evd, DAT_TIMEOUT_INFINITE, 1, &event, &more), "dat_evd_wait");
	check_completion(event);
	return 1 + (more > 0 ? poll(evd, most - 1) : 0);
}

} // namespace

std::unique_ptr<Transport> make_transport(const Config &config)
{
	return std::make_unique<DatTransport>(config);
}

} // namespace bench
