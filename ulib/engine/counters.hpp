// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What objects count of themselves, for the extensions of uDAPL 2.0 and in their
 * numbers. Those that have no name here are never counted.
 *
 * Counting has to cost nothing where transfers are posted and events taken: a counter
 * is a word of its object, beside others that the same call writes under a lock that it
 * holds anyway.
 */
#pragma once

#include "dat_values.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace kdapl {

/** Of an IA, as DAT_IA_COUNTERS. */
enum IaCounter : std::uint32_t {
	ia_pz_create = 0,
	ia_pz_free = 1,
	ia_lmr_create = 2,
	ia_lmr_free = 3,
	ia_rmr_create = 4,
	ia_rmr_free = 5,
	ia_psp_create = 6,
	ia_psp_create_any = 7,
	ia_psp_free = 8,
	ia_rsp_create = 9,
	ia_rsp_free = 10,
	ia_evd_create = 11,
	ia_evd_free = 12,
	ia_ep_create = 13,
	ia_ep_free = 14,
	ia_srq_create = 15,
	ia_srq_free = 16,
	ia_sp_cr = 17,
	ia_sp_cr_accepted = 18,
	ia_sp_cr_rejected = 19,
	ia_async_error = 23,
	ia_async_qp_error = 24,
	ia_async_cq_error = 25,
	ia_counters = 85, /**< how many */
};

/** Of an EP, as DAT_EP_COUNTERS. That of bytes follows that of what has them. */
enum EpCounter : std::uint32_t {
	ep_connect = 0,
	ep_disconnect = 1,
	ep_post_send = 2,
	ep_post_recv = 6,
	ep_post_write = 8,
	ep_post_write_imm = 10,
	ep_post_read = 12,
	ep_post_cmp_swap = 14, /**< has none */
	ep_post_fetch_add = 15, /**< has none */
	ep_recv = 16,
	ep_recv_data = 17,
	ep_recv_imm = 20,
	ep_recv_imm_data = 21,
	ep_recv_rdma_imm = 22,
	ep_recv_rdma_imm_data = 23,
	ep_counters = 24, /**< how many */
};

/** Of an EVD, as DAT_EVD_COUNTERS. */
enum EvdCounter : std::uint32_t {
	evd_wait = 0,
	evd_wait_blocked = 1,
	evd_dequeue = 3,
	evd_dequeue_found = 4,
	evd_dequeue_not_found = 5,
	evd_dequeue_poll = 6,
	evd_dequeue_poll_found = 7,
	evd_counters = 10, /**< how many */
};

/**
 * The counters of an object. One thread at a time counts: it holds a lock of the
 * object's, or is the only one that can be where it is. Where two meet nevertheless one
 * of their counts may be lost, nothing else.
 */
template <std::size_t N>
class Counters {
public:
	/** A number that is no counter's counts nothing. */
	void add(std::uint32_t counter, std::uint64_t n = 1) noexcept
	{
		if (counter < N)
			set(counter, values_[counter].load(relaxed) + n);
	}

	/** What it says; it begins again with 0 where reset. */
	std::uint64_t read(std::uint32_t counter, bool reset) noexcept
	{
		const std::uint64_t value = counter < N ? values_[counter].load(relaxed) : 0;

		if (reset && counter < N)
			set(counter, 0);
		return value;
	}

	/**
	 * The same of what somebody else counts, who is at now: the counter keeps where
	 * that was when it began.
	 */
	std::uint64_t read_since(std::uint32_t counter, std::uint64_t now, bool reset) noexcept
	{
		if (counter >= N)
			return 0;
		const std::uint64_t began = values_[counter].load(relaxed);

		if (reset)
			set(counter, now);
		return now - began;
	}

private:
	static constexpr auto relaxed = std::memory_order_relaxed;

	/* No read-modify-write: that is what an atomic counter would cost. */
	void set(std::uint32_t counter, std::uint64_t value) noexcept
	{
		values_[counter].store(value, relaxed);
	}

	std::array<std::atomic<std::uint64_t>, N> values_{};
};

/** The counters of the objects of a kind that are made and freed; ia_counters: none. */
struct LifeCounters {
	std::uint32_t made;
	std::uint32_t freed;
};

constexpr LifeCounters life_counters(Kind kind) noexcept
{
	switch (kind) {
	case Kind::pz:
		return { ia_pz_create, ia_pz_free };
	case Kind::lmr:
		return { ia_lmr_create, ia_lmr_free };
	case Kind::rmr:
		return { ia_rmr_create, ia_rmr_free };
	case Kind::psp:
		/* There are two for those that are made: Psp counts them. */
		return { ia_counters, ia_psp_free };
	case Kind::rsp:
		return { ia_rsp_create, ia_rsp_free };
	case Kind::evd:
		return { ia_evd_create, ia_evd_free };
	case Kind::ep:
		return { ia_ep_create, ia_ep_free };
	case Kind::srq:
		return { ia_srq_create, ia_srq_free };
	case Kind::cr:
		return { ia_sp_cr, ia_counters };
	default:
		return { ia_counters, ia_counters };
	}
}

} // namespace kdapl
