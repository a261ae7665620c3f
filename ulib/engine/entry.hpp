// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* An entry of the submission ring: what posts on EPs and on SRQs have in common. */
#pragma once

#include "ia.hpp"
#include "lmr.hpp"

namespace kdapl {

/*
 * All under the submission ring's mutex.
 */

/** What a segment fails with whose memory does not permit that. */
Status no_privilege(std::uint32_t privilege) noexcept;
/** And one of memory of another zone. */
Status wrong_zone(std::uint32_t privilege) noexcept;
/** Have the module take what is in the ring. */
Status empty_ring(Ia &ia) noexcept;

/** What the device does to local memory: a KDAPL_PRIV_LOCAL_*. */
constexpr std::uint32_t privilege_needed(kdapl_op op) noexcept
{
	switch (op) {
	case KDAPL_OP_SEND:
	case KDAPL_OP_SEND_INV:
	case KDAPL_OP_RDMA_WRITE:
	case KDAPL_OP_WRITE_IMM:
		return KDAPL_PRIV_LOCAL_READ;
	default:
		return KDAPL_PRIV_LOCAL_WRITE;
	}
}

/** When the ring is full, have the module take what is there. */
inline Status make_room(Ia &ia) noexcept
{
	return ia.sq().full() ? empty_ring(ia) : success;
}

/**
 * Check a segment and write it into the entry.
 * @param pz      the module's id of the zone that its memory must be of
 * @param wanted  in: bytes of it that are wanted, the rest is left out;
 *                out: bytes still wanted
 */
inline Status add_segment(Ia &ia, std::uint32_t pz, const Segment &segment, std::uint32_t privilege,
			  std::uint64_t &wanted, kdapl_sqe &sqe) noexcept
{
	/* Its other members may be anything; and devices differ in what it means to them. */
	if (!segment.length)
		return success;
	const LmrEntry *lmr = ia.lmrs().find(segment.lmr);

	if (!lmr || !(lmr->privileges & privilege))
		return no_privilege(privilege);
	if (lmr->pz != pz)
		return wrong_zone(privilege);
	if (!lmr->covers(segment.address, segment.length))
		return fail(Type::invalid_parameter, Sub::arg3);

	const std::uint64_t length = segment.length < wanted ? segment.length : wanted;
	if (!length)
		return success;
	if (length > UINT32_MAX)
		return fail(Type::invalid_parameter, Sub::arg3);
	sqe.seg[sqe.num_seg++] = { .addr = segment.address,
				   .length = static_cast<std::uint32_t>(length),
				   .lmr = segment.lmr };
	wanted -= length;
	return success;
}

} // namespace kdapl
