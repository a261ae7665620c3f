// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * SRQ: a queue of receives that many EPs take from.
 *
 * A receive is available until an EP has taken it, and outstanding until the
 * program has seen its completion: the module tells of the first, the library
 * counts the second where it takes events out of a ring.
 */
#pragma once

#include "ia.hpp"
#include "lmr.hpp"
#include "pz.hpp"

#include <atomic>
#include <mutex>
#include <span>

namespace kdapl {

/** What an SRQ tells of itself. */
struct SrqCounts {
	std::uint32_t max_recvs;
	std::uint32_t low;
	std::uint32_t available;
	std::uint32_t outstanding;
};

class Srq final : public Child {
public:
	static constexpr Kind kind = Kind::srq;

	/** max_recvs and max_iov are within the adapter's limits. */
	static Status create(const Ref<Ia> &ia, const Pz &pz, std::uint32_t max_recvs,
			     std::uint32_t max_iov, Ref<Srq> &srq);
	Status free() noexcept;

	/** Post a receive. Never sleeps, allocates nothing. */
	Status post(std::span<const Segment> local, std::uint64_t cookie) noexcept;

	/**
	 * From now on each receive rings: some endpoint has solicited receives, of
	 * which the module hears late that they were taken.
	 */
	void ring_always() noexcept { rings_always_.store(true, std::memory_order_relaxed); }

	/** Have it hold so many receives. */
	Status resize(std::uint32_t max_recvs) noexcept;

	/** With fewer receives available, which may be now, one event; then none. */
	Status set_low(std::uint32_t low) noexcept;

	SrqCounts counts() noexcept;
	bool failed() const noexcept { return load_relaxed(status_->state); }
	Handle pz() const noexcept { return pz_; }
	std::uint32_t pz_id() const noexcept { return pz_id_; }
	std::uint32_t max_iov() const noexcept { return max_iov_; }

	/** The event of a receive that carried this tag is out of its ring. */
	static void reaped(std::uint32_t tag) noexcept;

	Srq(Slot *slot, Ref<Ia> ia, const Pz &pz, std::uint32_t max_recvs,
	    std::uint32_t max_iov) noexcept
		: Child(slot, kind, KDAPL_OBJ_SRQ, std::move(ia)), pz_(pz.handle()),
		  pz_id_(pz.id()), max_iov_(max_iov), max_recvs_(max_recvs)
	{
	}

private:
	Status make_in_module();
	std::uint32_t outstanding() const noexcept;
	Status fill(std::span<const Segment> local, std::uint64_t cookie,
		    kdapl_sqe &sqe) const noexcept;
	bool push() noexcept;
	Status may_resize(std::uint32_t max_recvs) const noexcept;

	Handle pz_;
	std::uint32_t pz_id_;
	std::uint32_t max_iov_;
	Shared<const kdapl_srq_status> status_;
	std::atomic<std::uint32_t> reaped_ = 0;
	std::atomic<bool> rings_always_ = false;

	std::mutex size_mutex_; /**< who changes the next two; read under the ring's, too */
	std::uint32_t max_recvs_;
	std::uint32_t low_ = 0;

	std::uint32_t posted_ = 0; /**< guarded by the submission ring's mutex */
};

} // namespace kdapl
