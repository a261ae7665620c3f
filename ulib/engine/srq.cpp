// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "srq.hpp"

#include "entry.hpp"
#include "evd.hpp"

namespace kdapl {

Status Srq::create(const Ref<Ia> &ia, const Pz &pz, std::uint32_t max_recvs, std::uint32_t max_iov,
		   Ref<Srq> &srq)
{
	Draft<Srq> draft(ia->provider(), ia.share(), pz, max_recvs, max_iov);

	if (Status status = draft->make_in_module(); !status.ok())
		return status;
	srq = ia->adopt(draft);
	return srq ? success : fail(Type::invalid_handle, Sub::handle_ia);
}

Status Srq::make_in_module()
{
	kdapl_srq_create arg{};

	arg.pz = pz_id_;
	arg.max_recvs = max_recvs_;
	arg.max_recv_iov = max_iov_;
	arg.async_evd = ia().async_evd_id();
	arg.tag = tag();
	arg.user = word();
	if (int err = ia().device().call(KDAPL_SRQ_CREATE, arg))
		return from_errno(err, { .object = Sub::handle_pz, .limit = Sub::resource_srq });
	id_ = arg.id;
	return ia().map_or_discard(arg.status, *this, status_);
}

Status Srq::free() noexcept
{
	return ia().free(*this, { .object = Sub::handle_srq, .busy = Sub::srq_in_use });
}

/** Caller holds the submission ring's mutex. */
std::uint32_t Srq::outstanding() const noexcept
{
	return posted_ - reaped_.load(std::memory_order_relaxed) - load_relaxed(status_->dropped);
}

Status Srq::fill(std::span<const Segment> local, std::uint64_t cookie,
		 kdapl_sqe &sqe) const noexcept
{
	std::uint64_t wanted = ~std::uint64_t{ 0 };

	sqe.ep = id();
	sqe.op = KDAPL_OP_RECV;
	sqe.num_seg = 0;
	sqe.flags = 0;
	sqe.cookie = cookie;
	sqe.remote_addr = 0;
	sqe.rkey = 0;
	sqe.imm = 0;
	for (const Segment &segment : local) {
		if (Status status = add_segment(ia(), pz_id_, segment,
						privilege_needed(KDAPL_OP_RECV), wanted, sqe);
		    !status.ok())
			return status;
	}
	return success;
}

/** Hand the entry over; whether the module must be called. */
bool Srq::push() noexcept
{
	ia().sq().push();
	posted_++;
	full_barrier();
	/* First, as in Ep::recv_must_ring(). */
	const std::uint32_t taken = load_acquire(status_->taken);
	const bool rings = recv_needs_doorbell(
		{ .always = ia().is_iwarp() || rings_always_.load(std::memory_order_relaxed),
		  .in_device = load_relaxed(status_->hw_recv),
		  .outstanding = posted_ - taken });
	if (rings)
		ia().sq().note_doorbell();
	return rings;
}

[[gnu::flatten]] Status Srq::post(std::span<const Segment> local, std::uint64_t cookie) noexcept
{
	bool rings;

	{
		std::lock_guard lock(ia().sq().mutex());
		if (local.size() > max_iov_)
			return fail(Type::invalid_parameter, Sub::arg2);
		if (outstanding() >= max_recvs_)
			return fail(Type::insufficient_resources, Sub::resource_credits);
		if (Status status = make_room(ia()); !status.ok())
			return status;
		if (Status status = fill(local, cookie, ia().sq().next()); !status.ok())
			return status;
		rings = push();
	}
	return rings ? ia().ring_doorbell() : success;
}

/** Caller holds the submission ring's mutex and the size mutex. */
Status Srq::may_resize(std::uint32_t max_recvs) const noexcept
{
	return max_recvs < outstanding() || max_recvs < low_ ? fail(Type::invalid_state) : success;
}

/*
 * The module never makes it shorter: that is a limit of the library's alone. It
 * can be asked without the ring's mutex, which posts need.
 */
Status Srq::resize(std::uint32_t max_recvs) noexcept
{
	std::lock_guard size_lock(size_mutex_);
	kdapl_srq_resize arg{};

	{
		std::lock_guard lock(ia().sq().mutex());
		if (Status status = may_resize(max_recvs); !status.ok())
			return status;
	}
	arg.srq = id();
	arg.max_recvs = max_recvs;
	if (int err = ia().device().call(KDAPL_SRQ_RESIZE, arg))
		return from_errno(err, { .object = Sub::handle_srq, .limit = Sub::resource_srq });

	std::lock_guard lock(ia().sq().mutex());
	/* More may have been posted meanwhile. */
	if (Status status = may_resize(max_recvs); !status.ok())
		return status;
	max_recvs_ = max_recvs;
	return success;
}

Status Srq::set_low(std::uint32_t low) noexcept
{
	std::lock_guard size_lock(size_mutex_);
	kdapl_srq_set_low arg{};

	if (low > max_recvs_)
		return fail(Type::invalid_parameter, Sub::arg2);
	arg.srq = id();
	arg.low = low;
	if (int err = ia().device().call(KDAPL_SRQ_SET_LOW, arg))
		return from_errno(err, { .object = Sub::handle_srq });
	low_ = low;
	return success;
}

SrqCounts Srq::counts() noexcept
{
	std::lock_guard size_lock(size_mutex_);
	std::lock_guard lock(ia().sq().mutex());

	return { .max_recvs = max_recvs_,
		 .low = low_,
		 .available = posted_ - load_relaxed(status_->taken),
		 .outstanding = outstanding() };
}

void Srq::reaped(std::uint32_t tag) noexcept
{
	/* It may be gone: events outlive the EPs and the SRQ they came from. */
	if (Ref<Srq> srq = pin_tag<Srq>(tag))
		srq->reaped_.fetch_add(1, std::memory_order_relaxed);
}

} // namespace kdapl
