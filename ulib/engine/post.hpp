// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Transfers: what can be known is checked here and now, then an entry goes into
 * the submission ring, and the module is called only where it would not look.
 *
 * All of it can be compiled into a call of the API, for its one operation and perhaps its
 * one segment: what only others need is left out then.
 */
#pragma once

#include "ep.hpp"

#include "entry.hpp"

namespace kdapl {

inline bool is_recv(kdapl_op op) noexcept
{
	return op == KDAPL_OP_RECV;
}

inline bool is_atomic(kdapl_op op) noexcept
{
	return op == KDAPL_OP_CMP_SWAP || op == KDAPL_OP_FETCH_ADD;
}

/** What of the adapter an operation needs: KDAPL_IA_*, 0 for nothing. */
constexpr std::uint32_t feature_needed(kdapl_op op) noexcept
{
	switch (op) {
	case KDAPL_OP_SEND_INV:
	case KDAPL_OP_READ_RMR:
		return KDAPL_IA_INV;
	case KDAPL_OP_WRITE_IMM:
		return KDAPL_IA_IMM;
	case KDAPL_OP_CMP_SWAP:
	case KDAPL_OP_FETCH_ADD:
		return KDAPL_IA_ATOMIC;
	default:
		return 0;
	}
}

/** Where an operation's flags stand in its call. */
constexpr Sub flags_argument(kdapl_op op) noexcept
{
	switch (op) {
	case KDAPL_OP_SEND:
	case KDAPL_OP_SEND_INV:
	case KDAPL_OP_RECV:
	case KDAPL_OP_READ_RMR:
		return Sub::arg5;
	default:
		return Sub::arg6;
	}
}

/** Completion flags that an operation may carry, on an EP of this style. */
constexpr std::uint32_t flags_allowed(kdapl_op op, const EpAttributes &a) noexcept
{
	const std::uint32_t quiet = a.request_completion_flags & completion_unsignalled;

	switch (op) {
	case KDAPL_OP_RECV:
		return a.recv_completion_flags & completion_unsignalled;
	case KDAPL_OP_SEND:
	case KDAPL_OP_SEND_INV:
	case KDAPL_OP_WRITE_IMM:
		return completion_suppress | completion_solicited | completion_fence | quiet;
	default:
		return completion_suppress | completion_fence | quiet;
	}
}

inline std::uint16_t sqe_flags(std::uint32_t flags) noexcept
{
	return static_cast<std::uint16_t>((flags & completion_suppress ? KDAPL_SQE_SUPPRESS : 0) |
					  (flags & completion_solicited ? KDAPL_SQE_SOLICITED : 0) |
					  (flags & completion_fence ? KDAPL_SQE_FENCE : 0) |
					  (flags & completion_unsignalled ? KDAPL_SQE_QUIET : 0));
}

inline std::uint32_t iov_limit(const EpAttributes &a, kdapl_op op) noexcept
{
	switch (op) {
	case KDAPL_OP_RECV:
		return a.max_recv_iov;
	case KDAPL_OP_RDMA_READ:
		return a.max_rdma_read_iov;
	case KDAPL_OP_RDMA_WRITE:
	case KDAPL_OP_WRITE_IMM:
		return a.max_rdma_write_iov;
	case KDAPL_OP_READ_RMR:
	case KDAPL_OP_CMP_SWAP:
	case KDAPL_OP_FETCH_ADD:
		return 1;
	default:
		return a.max_request_iov;
	}
}

inline std::uint64_t total_length(std::span<const Segment> segments) noexcept
{
	std::uint64_t total = 0;

	for (const Segment &segment : segments) {
		if (__builtin_add_overflow(total, segment.length, &total))
			return ~std::uint64_t{ 0 };
	}
	return total;
}

/** Eight bytes here for as many at the peer's, which are aligned. */
inline Status check_atomic(const Post &post, std::uint64_t local) noexcept
{
	if (local != KDAPL_ATOMIC_SIZE || post.remote->length < KDAPL_ATOMIC_SIZE)
		return fail(Type::length_error);
	if (post.remote->address % KDAPL_ATOMIC_SIZE)
		return fail(Type::invalid_parameter, Sub::arg5);
	return success;
}

/**
 * The EP's max_rdma_size is what its program asked for at least, and no bound: programs
 * of OFED's ask for less than they transfer.
 *
 * @param most  bytes of the adapter's longest transfer
 */
inline Status check_lengths(const Post &post, const EpAttributes &a, std::uint64_t most) noexcept
{
	const std::uint64_t local = total_length(post.local);

	switch (post.op) {
	case KDAPL_OP_RDMA_READ:
	case KDAPL_OP_READ_RMR:
		if (local < post.remote->length || post.remote->length > most)
			return fail(Type::length_error);
		break;
	case KDAPL_OP_RDMA_WRITE:
	case KDAPL_OP_WRITE_IMM:
		if (post.remote->length < local || local > most)
			return fail(Type::length_error);
		break;
	case KDAPL_OP_SEND:
	case KDAPL_OP_SEND_INV:
		if (local > a.max_message_size)
			return fail(Type::invalid_parameter, Sub::arg3);
		break;
	case KDAPL_OP_CMP_SWAP:
	case KDAPL_OP_FETCH_ADD:
		return check_atomic(post, local);
	case KDAPL_OP_RECV:
		/* A buffer may be longer than any message. */
		break;
	}
	return success;
}

/** What counts an operation. */
constexpr std::uint32_t post_counter(kdapl_op op) noexcept
{
	switch (op) {
	case KDAPL_OP_SEND:
	case KDAPL_OP_SEND_INV:
		return ep_post_send;
	case KDAPL_OP_RECV:
		return ep_post_recv;
	case KDAPL_OP_RDMA_WRITE:
		return ep_post_write;
	case KDAPL_OP_WRITE_IMM:
		return ep_post_write_imm;
	case KDAPL_OP_RDMA_READ:
	case KDAPL_OP_READ_RMR:
		return ep_post_read;
	case KDAPL_OP_CMP_SWAP:
		return ep_post_cmp_swap;
	case KDAPL_OP_FETCH_ADD:
		return ep_post_fetch_add;
	}
	return ep_counters;
}

/** The module knows what the context names, and how much of it. */
inline void add_window(const Post &post, kdapl_sqe &sqe) noexcept
{
	const Segment &window = post.local.front();

	sqe.seg[0] = { .addr = window.address,
		       .length = static_cast<std::uint32_t>(post.remote->length),
		       .lmr = window.lmr };
	sqe.num_seg = 1;
}

/** What is wrong with the arguments, the state, the lengths. */
inline Status Ep::check_post(const Post &post) const noexcept
{
	const std::uint32_t needed = feature_needed(post.op);

	if ((ia().attributes().flags & needed) != needed)
		return fail(Type::model_not_supported);
	if (post.flags & ~flags_allowed(post.op, attributes_))
		return fail(Type::invalid_parameter, flags_argument(post.op));
	if (is_recv(post.op) && srq_)
		return fail(Type::invalid_state, Sub::srq_in_use);
	if (post.local.size() > iov_limit(attributes_, post.op))
		return fail(Type::invalid_parameter, Sub::arg2);
	if (!pz_id_)
		return fail(Type::invalid_state, Sub::ep_not_ready);
	if (!is_recv(post.op)) {
		const EpState now = state();
		if (now != EpState::connected && now != EpState::disconnected)
			return fail(Type::invalid_state, state_sub(now));
	}
	return check_lengths(post, attributes_, ia().attributes().max_message);
}

/** A slot of the EP's own queue is free until its completion is in the event ring. */
inline Status Ep::check_slots(kdapl_op op) const noexcept
{
	const std::uint32_t used = is_recv(op) ? posted_recvs_ - load_acquire(status_->recv_done) :
						 posted_requests_ - load_acquire(status_->done);
	const std::uint32_t slots = is_recv(op) ? attributes_.max_recvs : attributes_.max_requests;
	const bool delivers = is_recv(op) ? recv_evd_id_ : request_evd_id_;

	return delivers && used < slots ? success :
					  fail(Type::insufficient_resources, Sub::resource_credits);
}

inline Status Ep::fill(const Post &post, kdapl_sqe &sqe) const noexcept
{
	const std::uint32_t privilege = privilege_needed(post.op);
	/* A read fills the front of a longer iov. */
	std::uint64_t wanted =
		post.op == KDAPL_OP_RDMA_READ ? post.remote->length : ~std::uint64_t{ 0 };

	sqe.ep = id();
	sqe.op = static_cast<__u8>(post.op);
	sqe.num_seg = 0;
	sqe.flags = sqe_flags(post.flags);
	sqe.cookie = post.cookie;
	sqe.remote_addr = post.remote ? post.remote->address : 0;
	sqe.rkey = post.remote ? post.remote->rkey : post.invalidates;
	sqe.imm = post.immediate;
	if (is_atomic(post.op)) {
		sqe.seg[1].addr = post.operands[0];
		sqe.seg[2].addr = post.operands[1];
	}
	if (post.op == KDAPL_OP_READ_RMR) {
		add_window(post, sqe);
		return success;
	}
	for (const Segment &segment : post.local) {
		if (Status status = add_segment(ia(), pz_id_, segment, privilege, wanted, sqe);
		    !status.ok())
			return status;
	}
	return success;
}

/** An operation and its bytes; an atomic one always has as many. */
inline void Ep::count_post(kdapl_op op, const kdapl_sqe &sqe) noexcept
{
	const std::uint32_t counter = post_counter(op);
	std::uint64_t bytes = 0;

	counters_.add(counter);
	if (is_atomic(op))
		return;
	for (std::size_t i = 0; i < sqe.num_seg; i++)
		bytes += sqe.seg[i].length;
	counters_.add(counter + 1, bytes);
}

/** Hand the entry over. */
inline Ep::Doorbell Ep::push(kdapl_op op) noexcept
{
	Sq &sq = ia().sq();
	Doorbell bell;

	sq.push();
	++(is_recv(op) ? posted_recvs_ : posted_requests_);
	full_barrier();
	bell.rings = is_recv(op) ? recv_must_ring() : sq.needs_wakeup() || sq.has_batch();
	if (!bell.rings)
		return bell;
	sq.note_doorbell();
	bell.lone = !is_recv(op) && posted_requests_ - load_relaxed(status_->done) == 1;
	if (bell.lone)
		bell.polled_evd = ia().spin().rings(recv_evd_id_, request_evd_id_, spin_clock);
	return bell;
}

inline bool Ep::recv_must_ring() const noexcept
{
	/* First: what completes in between may make it ring in vain, never keep it from it. */
	const std::uint32_t done = load_acquire(status_->recv_done);

	return recv_needs_doorbell(
		{ .always = ia().is_iwarp() ||
			    (attributes_.recv_completion_flags & completion_solicited) || marked_,
		  .in_device = load_relaxed(status_->hw_recv),
		  .outstanding = posted_recvs_ - done });
}

template <class Lock>
[[gnu::always_inline]] inline Status Ep::post_here(const Post &post) noexcept
{
	Doorbell bell;

	{
		const Lock lock(ia().sq().mutex());
		if (Status status = check_post(post); !status.ok())
			return status;
		if (Status status = check_slots(post.op); !status.ok())
			return status;
		if (Status status = make_room(ia()); !status.ok())
			return status;
		kdapl_sqe &sqe = ia().sq().next();
		if (Status status = fill(post, sqe); !status.ok())
			return status;
		count_post(post.op, sqe);
		bell = push(post.op);
	}
	if (bell.lone)
		return ia().ring_doorbell_and_poll(bell.polled_evd);
	return bell.rings ? ia().ring_doorbell() : success;
}

} // namespace kdapl
