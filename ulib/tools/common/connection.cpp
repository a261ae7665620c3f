// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "connection.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "error.hpp"

namespace tools {

/* Beyond the transport's own answer: the time an event may take to reach us. */
static constexpr Seconds event_delay{ 5 };

/* A peer that falls silent must not cost a processor for as long as it likes. */
static constexpr Seconds longest_poll{ 1 };

/* What every adapter can do: the two sides' depths must fit each other. */
static constexpr DAT_COUNT reads_at_a_time = 16;

Connection::Connection(const Adapter &adapter, const EndpointSizes &sizes, Waiting waiting)
	: recv_(adapter, sizes.recvs + 1, DAT_EVD_DTO_FLAG),
	  request_(adapter, sizes.requests + 1, DAT_EVD_DTO_FLAG),
	  connect_(adapter, 8, DAT_EVD_CONNECTION_FLAG), waiting_(waiting)
{
	const DAT_IA_ATTR &can = adapter.attr();
	DAT_EP_ATTR attr{};

	if (sizes.recvs > can.max_dto_per_ep || sizes.requests > can.max_dto_per_ep)
		throw Error(fmt::format(
			"an endpoint for {} receives and {} requests is too large for "
			"adapter {}, which allows {}: use a smaller depth",
			sizes.recvs, sizes.requests, adapter.name(), can.max_dto_per_ep));
	attr.service_type = DAT_SERVICE_TYPE_RC;
	attr.max_message_size = can.max_message_size;
	attr.max_rdma_size = can.max_rdma_size;
	attr.qos = DAT_QOS_BEST_EFFORT;
	attr.recv_completion_flags = DAT_COMPLETION_EVD_THRESHOLD_FLAG;
	attr.request_completion_flags = DAT_COMPLETION_EVD_THRESHOLD_FLAG;
	attr.max_recv_dtos = sizes.recvs;
	attr.max_request_dtos = sizes.requests;
	attr.max_recv_iov = sizes.segments;
	attr.max_request_iov = sizes.segments;
	attr.max_rdma_read_in = std::min(can.max_rdma_read_per_ep_in, reads_at_a_time);
	attr.max_rdma_read_out = std::min(can.max_rdma_read_per_ep_out, reads_at_a_time);
	attr.srq_soft_hw = DAT_HW_DEFAULT;
	attr.max_rdma_read_iov = 1;
	attr.max_rdma_write_iov = 1;
	DAT_RETURN ret = dat_ep_create(adapter.ia(), adapter.pz(), recv_.get(), request_.get(),
				       connect_.get(), &attr, ep_.out());
	check(ret, "make an endpoint");
}

/* What the user can do about an event that is not ESTABLISHED. */
static std::string refusal(DAT_EVENT_NUMBER event, const std::string &peer, DAT_CONN_QUAL port,
			   double seconds)
{
	switch (event) {
	case DAT_CONNECTION_EVENT_PEER_REJECTED:
		return fmt::format(
			"the program listening on {} port {} refused the connection; its "
			"own output says why",
			peer, port);
	case DAT_CONNECTION_EVENT_NON_PEER_REJECTED:
		return fmt::format("nobody listens on {} port {}: start the listening side there "
				   "first, or check --port",
				   peer, port);
	case DAT_CONNECTION_EVENT_UNREACHABLE:
		return fmt::format("{} cannot be reached from this adapter: check the address, the "
				   "network, and whether the adapter (--ia) is on the way there",
				   peer);
	case DAT_CONNECTION_EVENT_TIMED_OUT:
		return fmt::format("{} did not answer within {:g} s: check that it is up, or allow "
				   "more time with --timeout",
				   peer, seconds);
	case DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR:
		return fmt::format("{} went away while the connection was being set up", peer);
	default:
		return fmt::format("the connection with {} ended while it was being set up (event "
				   "{:#x})",
				   peer, static_cast<unsigned>(event));
	}
}

void Connection::connect(Address peer, DAT_CONN_QUAL port, std::span<const std::byte> private_data,
			 Seconds timeout)
{
	DAT_EVENT event{};

	peer_ = peer.text();
	/* A time that is over already is no argument of its. */
	const DAT_TIMEOUT left = std::max<DAT_TIMEOUT>(Deadline(timeout).left(), 1);
	DAT_RETURN ret = dat_ep_connect(ep_.get(), peer.get(), port, left,
					static_cast<DAT_COUNT>(private_data.size()),
					const_cast<std::byte *>(private_data.data()),
					DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG);
	if (DAT_GET_TYPE(ret) == DAT_INVALID_ADDRESS)
		throw Error(refusal(DAT_CONNECTION_EVENT_UNREACHABLE, peer_, port, 0));
	check(ret, fmt::format("connect to {} port {}", peer_, port));
	if (!connect_.wait(event, Deadline(timeout + event_delay)))
		throw Error(refusal(DAT_CONNECTION_EVENT_TIMED_OUT, peer_, port, timeout.count()));
	if (event.event_number != DAT_CONNECTION_EVENT_ESTABLISHED)
		throw Error(refusal(event.event_number, peer_, port, timeout.count()));
	const auto &data = event.event_data.connect_event_data;
	if (data.private_data && data.private_data_size > 0)
		peer_data_ = { static_cast<const std::byte *>(data.private_data),
			       static_cast<std::size_t>(data.private_data_size) };
}

void Connection::accept(Request &request, std::span<const std::byte> private_data, Seconds timeout)
{
	DAT_EVENT event{};

	peer_ = request.from.text();
	check(dat_cr_accept(request.cr.get(), ep_.get(),
			    static_cast<DAT_COUNT>(private_data.size()),
			    const_cast<std::byte *>(private_data.data())),
	      fmt::format("accept the connection of {}", peer_));
	request.cr.release();
	if (!connect_.wait(event, Deadline(timeout)))
		throw Error(fmt::format("{} asked for a connection and then fell silent", peer_));
	if (event.event_number != DAT_CONNECTION_EVENT_ESTABLISHED)
		throw Error(refusal(event.event_number, peer_, 0, timeout.count()));
}

static DAT_DTO_COOKIE as_cookie(std::uint64_t number)
{
	DAT_DTO_COOKIE cookie{};

	cookie.as_64 = number;
	return cookie;
}

/* A post on an endpoint that is no longer connected is a lost connection. */
void Connection::post_failed(DAT_RETURN ret, const char *what)
{
	if (DAT_GET_TYPE(ret) == DAT_INVALID_STATE)
		lost();
	check(ret, what);
}

void Connection::post_recv(std::span<DAT_LMR_TRIPLET> local, std::uint64_t cookie)
{
	post_failed(dat_ep_post_recv(ep_.get(), static_cast<DAT_COUNT>(local.size()), local.data(),
				     as_cookie(cookie), DAT_COMPLETION_DEFAULT_FLAG),
		    "post a receive");
}

void Connection::post_send(std::span<DAT_LMR_TRIPLET> local, std::uint64_t cookie,
			   DAT_COMPLETION_FLAGS flags)
{
	post_failed(dat_ep_post_send(ep_.get(), static_cast<DAT_COUNT>(local.size()), local.data(),
				     as_cookie(cookie), flags),
		    "post a send");
}

void Connection::post_write(DAT_LMR_TRIPLET local, const DAT_RMR_TRIPLET &remote,
			    std::uint64_t cookie, DAT_COMPLETION_FLAGS flags)
{
	post_failed(dat_ep_post_rdma_write(ep_.get(), 1, &local, as_cookie(cookie), &remote, flags),
		    "post an RDMA write");
}

void Connection::post_read(DAT_LMR_TRIPLET local, const DAT_RMR_TRIPLET &remote,
			   std::uint64_t cookie)
{
	post_failed(dat_ep_post_rdma_read(ep_.get(), 1, &local, as_cookie(cookie), &remote,
					  DAT_COMPLETION_DEFAULT_FLAG),
		    "post an RDMA read");
}

Completion Connection::next(EventQueue &queue)
{
	DAT_EVENT event{};

	/* An event that is there already costs no system call. */
	if (queue.take(event))
		return completed(event);
	Deadline deadline = idle_limit_ ? Deadline(*idle_limit_) : Deadline();
	if (waiting_ == Waiting::Poll &&
	    poll(queue, event,
		 Deadline(std::min(longest_poll, idle_limit_.value_or(longest_poll)))))
		return completed(event);
	if (!queue.wait(event, deadline))
		silent();
	return completed(event);
}

bool Connection::poll(EventQueue &queue, DAT_EVENT &event, const Deadline &until)
{
	constexpr unsigned look_around = 4096;

	for (unsigned spins = 1;; spins++) {
		if (queue.take(event))
			return true;
		if (spins % look_around)
			continue;
		/*
		 * The end of the connection is told after all completions, so
		 * whatever is still to come is in the queue by then.
		 */
		DAT_EVENT end{};
		if (!end_ && connect_.take(end))
			end_ = end.event_number;
		if (end_) {
			if (queue.take(event))
				return true;
			lost();
		}
		if (until.passed())
			return false;
	}
}

std::optional<Completion> Connection::try_next(EventQueue &queue)
{
	DAT_EVENT event{};

	if (!queue.take(event))
		return std::nullopt;
	return completed(event);
}

Completion Connection::completed(const DAT_EVENT &event)
{
	const auto &dto = event.event_data.dto_completion_event_data;

	if (dto.status == DAT_DTO_ERR_FLUSHED)
		lost();
	if (dto.status != DAT_DTO_SUCCESS)
		throw Error(
			fmt::format("a transfer with {} failed: {}", peer_, dto_text(dto.status)));
	return { dto.user_cookie.as_64, static_cast<std::size_t>(dto.transfered_length) };
}

void Connection::silent() const
{
	throw Error(fmt::format("{} was silent for {:g} s: it hangs, or the network is down", peer_,
				idle_limit_->count()));
}

void Connection::lost()
{
	DAT_EVENT event{};

	/* Flushed work comes first, the event that tells why follows it. */
	if (!end_ && connect_.wait(event, Deadline(event_delay)))
		end_ = event.event_number;
	if (end_ == DAT_CONNECTION_EVENT_DISCONNECTED)
		throw ConnectionLost(fmt::format("{} ended the connection before all was done: it "
						 "was stopped, or it failed",
						 peer_),
				     true);
	throw ConnectionLost(
		fmt::format("the connection with {} broke: the peer died, or the network "
			    "is down",
			    peer_),
		false);
}

void Connection::disconnect(Seconds timeout)
{
	check(dat_ep_disconnect(ep_.get(), DAT_CLOSE_GRACEFUL_FLAG), "disconnect");
	wait_disconnected(timeout);
}

void Connection::wait_disconnected(Seconds timeout)
{
	DAT_EVENT event{};

	if (end_)
		return;
	if (!connect_.wait(event, Deadline(timeout)))
		throw Error(fmt::format("{} did not end the connection within {:g} s", peer_,
					timeout.count()));
	end_ = event.event_number;
}

} // namespace tools
