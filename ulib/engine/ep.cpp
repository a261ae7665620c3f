// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "ep.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace kdapl {

namespace {

/* What an EP gets whose program does not choose, where the device has as much. */
constexpr std::uint32_t default_depth = 256;
constexpr std::uint32_t default_rdma_reads = 16;

Handle handle_or_null(const Object *object) noexcept
{
	return object ? object->handle() : nullptr;
}

std::uint32_t id_or_none(const Object *object) noexcept
{
	return object ? object->id() : 0;
}

/**
 * The program may be reading it: it is written only where it is another one, which
 * it is once per connection.
 */
void update(sockaddr_storage &kept, const kdapl_addr &now) noexcept
{
	const sockaddr_storage address = to_sockaddr(now);

	if (std::memcmp(&kept, &address, sizeof kept))
		kept = address;
}

template <class T>
void replace_zero(T &value, T standard) noexcept
{
	if (!value)
		value = standard;
}

} // namespace

Ep::Ep(Slot *slot, Ref<Ia> ia, const EpCreate &args, const EpAttributes &attributes) noexcept
	: Child(slot, kind, KDAPL_OBJ_EP, std::move(ia)), srq_id_(id_or_none(args.srq)),
	  srq_(handle_or_null(args.srq)), undecided_(args.for_request), attributes_(attributes),
	  depths_fixed_(args.attributes), pz_id_(id_or_none(args.pz)), pz_(handle_or_null(args.pz)),
	  recv_evd_id_(id_or_none(args.recv_evd)), request_evd_id_(id_or_none(args.request_evd)),
	  connect_evd_id_(id_or_none(args.connect_evd)), recv_evd_(handle_or_null(args.recv_evd)),
	  request_evd_(handle_or_null(args.request_evd)),
	  connect_evd_(handle_or_null(args.connect_evd))
{
}

EpAttributes Ep::defaults(const Ia &ia, Queues queues) noexcept
{
	const kdapl_ia_query &limit = ia.attributes();
	const std::uint32_t reads =
		std::min({ limit.max_rdma_read_in, limit.max_rdma_read_out, default_rdma_reads });

	return {
		.max_message_size = limit.max_message,
		.max_rdma_size = limit.max_message,
		.recv_completion_flags = completion_threshold,
		.request_completion_flags = completion_threshold,
		.max_recvs = queues.recv ? std::min(limit.max_recvs, default_depth) : 0,
		.max_requests = queues.request ? std::min(limit.max_requests, default_depth) : 0,
		.max_recv_iov = queues.recv ? limit.max_iov : 0,
		.max_request_iov = queues.request ? limit.max_iov : 0,
		.max_rdma_read_in = reads,
		.max_rdma_read_out = reads,
		.max_rdma_read_iov = queues.request ? limit.max_iov_read : 0,
		.max_rdma_write_iov = queues.request ? limit.max_iov : 0,
		.soft_mark = mark_infinite,
	};
}

/** Whether the adapter can do this; fills in defaults for zeroes. */
Status Ep::check(const Ia &ia, Queues queues, EpAttributes &a, Sub argument) noexcept
{
	const kdapl_ia_query &limit = ia.attributes();
	const EpAttributes standard = defaults(ia, queues);
	constexpr std::uint32_t styles =
		completion_threshold | completion_solicited | completion_unsignalled;

	/* One style at most, beside the one that every wait has by default. */
	const auto is_style = [](std::uint32_t flags) {
		const std::uint32_t chosen = flags & ~completion_threshold;
		return !(flags & ~styles) && !(chosen & (chosen - 1));
	};
	/* Which requests are suppressed, each of them says. */
	if (!is_style(a.recv_completion_flags) ||
	    !is_style(a.request_completion_flags & ~completion_suppress) ||
	    a.request_completion_flags & completion_solicited)
		return fail(Type::invalid_parameter, argument);
	const bool own_recvs = queues.recv && !queues.shared;
	if ((own_recvs && !a.max_recvs) || (queues.request && !a.max_requests))
		return fail(Type::invalid_parameter, argument);

	replace_zero(a.max_message_size, standard.max_message_size);
	replace_zero(a.max_rdma_size, standard.max_rdma_size);
	replace_zero(a.max_recv_iov, standard.max_recv_iov);
	replace_zero(a.max_request_iov, standard.max_request_iov);
	replace_zero(a.max_rdma_read_iov, standard.max_rdma_read_iov);
	replace_zero(a.max_rdma_write_iov, standard.max_rdma_write_iov);

	const bool recvs_fit =
		queues.shared ? a.max_recvs == any_recvs || a.max_recvs <= limit.max_srq_recvs :
				a.max_recvs <= limit.max_recvs;
	if (!recvs_fit || a.max_message_size > limit.max_message ||
	    a.max_rdma_size > limit.max_message || a.max_requests > limit.max_requests ||
	    a.max_recv_iov > limit.max_iov || a.max_request_iov > limit.max_iov ||
	    a.max_rdma_read_in > limit.max_rdma_read_in ||
	    a.max_rdma_read_out > limit.max_rdma_read_out ||
	    a.max_rdma_read_iov > limit.max_iov_read || a.max_rdma_write_iov > limit.max_iov)
		return fail(Type::invalid_parameter, argument);
	return success;
}

Status Ep::create(const Ref<Ia> &ia, const EpCreate &args, Ref<Ep> &ep)
{
	const Queues queues = { .recv = args.recv_evd != nullptr,
				.request = args.request_evd != nullptr,
				.shared = args.srq != nullptr };
	EpAttributes attributes = args.attributes ? *args.attributes : defaults(*ia, queues);

	if (args.srq)
		attributes.max_recv_iov = args.srq->max_iov();
	if (Status status = check(*ia, queues, attributes, Sub::arg6); !status.ok())
		return status;
	if ((!queues.recv && attributes.max_recvs) || (!queues.request && attributes.max_requests))
		return fail(Type::invalid_parameter, Sub::arg6);
	return make(ia, args, attributes, ep);
}

Status Ep::create_for_request(const Ref<Ia> &ia, Ref<Ep> &ep)
{
	EpCreate args{};

	args.for_request = true;
	return make(ia, args, defaults(*ia, { .recv = true, .request = true, .shared = false }),
		    ep);
}

Status Ep::make(const Ref<Ia> &ia, const EpCreate &args, const EpAttributes &attributes,
		Ref<Ep> &ep)
{
	Draft<Ep> draft(ia->provider(), ia.share(), args, attributes);

	/* What is posted while the module makes it may be its own already. */
	if (args.srq && attributes.recv_completion_flags & completion_solicited)
		args.srq->ring_always();
	if (Status status = draft->make_in_module(); !status.ok())
		return status;
	if (attributes.soft_mark != mark_infinite) {
		if (Status status = draft->set_marks(attributes.soft_mark, mark_infinite);
		    !status.ok()) {
			ia->discard(KDAPL_OBJ_EP, draft->id());
			return status;
		}
	}
	ep = ia->adopt(draft);
	return ep ? success : fail(Type::invalid_handle, Sub::handle_ia);
}

Status Ep::make_in_module()
{
	kdapl_ep_create arg{};

	arg.pz = pz_id_;
	arg.recv_evd = recv_evd_id_;
	arg.request_evd = request_evd_id_;
	arg.connect_evd = connect_evd_id_;
	arg.srq = srq_id_;
	describe(attributes_, depths_fixed_, arg);
	arg.user = word();
	if (int err = ia().device().call(KDAPL_EP_CREATE, arg))
		return from_errno(err, { .object = Sub::handle_pz,
					 .limit = Sub::resource_tep,
					 .argument = Sub::arg6 });
	id_ = arg.id;
	return ia().map_or_discard(arg.status, *this, status_);
}

Status Ep::free() noexcept
{
	const Sub now = state_sub(state());

	/* Busy: it belongs to a service point, or to a request. */
	return ia().free(*this, { .object = Sub::handle_ep, .busy = now, .state = now });
}

Status Ep::connect(const EpConnect &args) noexcept
{
	kdapl_ep_connect arg{};

	if (!has_connect_evd())
		return fail(Type::invalid_handle, Sub::handle_evd_conn);
	if (!has_pz())
		return fail(Type::invalid_state, Sub::ep_not_ready);
	if (!args.timeout_us)
		return fail(Type::invalid_parameter, Sub::arg4);
	if (args.private_data.size() > max_private_data())
		return fail(Type::invalid_parameter, Sub::arg5);
	if (Status status = from_sockaddr(args.remote_address, arg.remote); !status.ok())
		return status;
	if (EpState now = state(); now != EpState::unconnected)
		return fail(Type::invalid_state, state_sub(now));

	arg.ep = id();
	arg.conn_qual = args.conn_qual;
	arg.timeout_us = args.timeout_us;
	arg.private_data_size = static_cast<std::uint32_t>(args.private_data.size());
	std::copy(args.private_data.begin(), args.private_data.end(), arg.private_data);
	const int err = ia().device().call(KDAPL_EP_CONNECT, arg);
	if (!err)
		count(ep_connect);
	return from_errno(err, { .object = Sub::handle_ep,
				 .limit = Sub::resource_tep,
				 .state = state_sub(state()) });
}

std::size_t Ep::max_private_data() const noexcept
{
	return std::min<std::size_t>(ia().attributes().max_private_data, KDAPL_PRIVATE_DATA_MAX);
}

Status Ep::disconnect(bool graceful) noexcept
{
	kdapl_ep_disconnect arg{};

	arg.ep = id();
	arg.close_flags = graceful ? KDAPL_CLOSE_GRACEFUL : KDAPL_CLOSE_ABRUPT;
	const int err = ia().device().call(KDAPL_EP_DISCONNECT, arg);
	if (!err)
		count(ep_disconnect);
	return from_errno(err, { .object = Sub::handle_ep, .state = state_sub(state()) });
}

Status Ep::reset() noexcept
{
	kdapl_ep_reset arg{};

	arg.ep = id();
	const int err = ia().device().call(KDAPL_EP_RESET, arg);
	return from_errno(err, { .object = Sub::handle_ep,
				 .limit = Sub::resource_tep,
				 .state = state_sub(state()) });
}

void Ep::count(EpCounter counter) noexcept
{
	std::lock_guard lock(ia().sq().mutex());

	counters_.add(counter);
}

/** Messages and bytes the module counts, since the EP was made. */
std::uint64_t Ep::received(std::uint32_t number) const noexcept
{
	switch (number) {
	case ep_recv:
		return load_relaxed(status_->recvs[KDAPL_RECV_PLAIN]);
	case ep_recv_data:
		return load_relaxed(status_->recv_bytes[KDAPL_RECV_PLAIN]);
	case ep_recv_imm:
		return load_relaxed(status_->recvs[KDAPL_RECV_IMM]);
	case ep_recv_imm_data:
		return load_relaxed(status_->recv_bytes[KDAPL_RECV_IMM]);
	case ep_recv_rdma_imm:
		return load_relaxed(status_->recvs[KDAPL_RECV_WRITE_IMM]);
	case ep_recv_rdma_imm_data:
		return load_relaxed(status_->recv_bytes[KDAPL_RECV_WRITE_IMM]);
	default:
		return 0;
	}
}

std::uint64_t Ep::counter(std::uint32_t number, bool reset) noexcept
{
	std::lock_guard lock(ia().sq().mutex());

	return number < ep_recv ? counters_.read(number, reset) :
				  counters_.read_since(number, received(number), reset);
}

EpAttributes Ep::attributes() noexcept
{
	std::lock_guard lock(ia().sq().mutex());

	return attributes_;
}

bool Ep::set_marked(bool marked) noexcept
{
	std::lock_guard posts(ia().sq().mutex());

	return std::exchange(marked_, marked);
}

Status Ep::set_marks(std::uint32_t soft, std::uint32_t hard) noexcept
{
	std::lock_guard lock(modify_mutex_);

	return tell_marks(soft, hard);
}

/** Caller holds modify_mutex_. */
Status Ep::tell_marks(std::uint32_t soft, std::uint32_t hard) noexcept
{
	kdapl_ep_set_marks arg{};

	arg.ep = id();
	arg.soft = soft;
	arg.hard = hard;
	arg.async_evd = ia().async_evd_id();
	/* What is posted from now on rings; what was before, the call takes. */
	const bool was_marked = set_marked(true);
	if (int err = ia().device().call(KDAPL_EP_SET_MARKS, arg)) {
		set_marked(was_marked);
		return from_errno(err, { .object = Sub::handle_ep });
	}
	set_marked(soft != mark_infinite || hard != mark_infinite);
	hard_mark_ = hard;
	std::lock_guard posts(ia().sq().mutex());
	attributes_.soft_mark = soft;
	return success;
}

bool Ep::has_pz() const noexcept
{
	std::lock_guard lock(ia().sq().mutex());

	return pz_id_;
}

bool Ep::has_connect_evd() const noexcept
{
	std::lock_guard lock(ia().sq().mutex());

	return connect_evd_id_;
}

Status Ep::query(View &view) noexcept
{
	std::lock_guard lock(query_mutex_);
	kdapl_ep_query arg{};

	arg.ep = id();
	if (int err = ia().device().call(KDAPL_EP_QUERY, arg))
		return from_errno(err, { .object = Sub::handle_ep });
	update(local_, arg.local);
	update(remote_, arg.remote);
	view.local = arg.local.family ? reinterpret_cast<const sockaddr *>(&local_) : nullptr;
	view.remote = arg.remote.family ? reinterpret_cast<const sockaddr *>(&remote_) : nullptr;
	view.local_port = arg.local.port;
	view.remote_port = arg.remote.port;
	std::lock_guard posts(ia().sq().mutex());
	view.pz = pz_;
	view.recv_evd = recv_evd_;
	view.request_evd = request_evd_;
	view.connect_evd = connect_evd_;
	view.attributes = attributes_;
	/* This connection's; the EP's own stay what they are for the next one. */
	if (!depths_fixed_) {
		view.attributes.max_rdma_read_in = arg.max_rdma_read_in;
		view.attributes.max_rdma_read_out = arg.max_rdma_read_out;
	}
	return success;
}

Status Ep::remote_end(sockaddr_storage &address, std::uint64_t &conn_qual) noexcept
{
	kdapl_ep_query arg{};

	arg.ep = id();
	if (int err = ia().device().call(KDAPL_EP_QUERY, arg))
		return from_errno(err, { .object = Sub::handle2 });
	/* What it was then: the connection can end at any time. */
	if (EpState now = state(); now != EpState::connected)
		return fail(Type::invalid_state, state_sub(now));
	/* Who was connected to knows no qualifier of the other end's. */
	if (!arg.remote_conn_qual)
		return fail(Type::invalid_state, Sub::ep_connected);
	address = to_sockaddr(arg.remote);
	conn_qual = arg.remote_conn_qual;
	return success;
}

void Ep::fetch_private_data(void *&data, std::uint32_t &size) noexcept
{
	std::lock_guard lock(query_mutex_);
	kdapl_ep_query arg{};

	arg.ep = id();
	if (ia().device().call(KDAPL_EP_QUERY, arg) || !arg.private_data_size)
		return;
	size = std::min<std::uint32_t>(arg.private_data_size, KDAPL_PRIVATE_DATA_MAX);
	std::copy_n(arg.private_data, size, private_data_);
	data = private_data_;
}

std::uint32_t Ep::outstanding_recvs() noexcept
{
	std::lock_guard lock(ia().sq().mutex());

	const std::uint32_t done = load_acquire(status_->recv_done);

	return (srq_ ? load_relaxed(status_->hw_recv) : posted_recvs_) - done;
}

bool Ep::recv_idle() noexcept
{
	return !outstanding_recvs();
}

bool Ep::request_idle() noexcept
{
	std::lock_guard lock(ia().sq().mutex());

	return posted_requests_ == load_acquire(status_->done);
}

} // namespace kdapl
