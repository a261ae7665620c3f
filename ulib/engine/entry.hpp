// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* An entry of the submission ring: what posts on EPs and on SRQs have in common. */
#pragma once

#include "ia.hpp"
#include "lmr.hpp"

namespace kdapl {

/*
 * All under the submission ring's mutex.
 */

/** What the device does to local memory: a KDAPL_PRIV_LOCAL_*. */
std::uint32_t privilege_needed(kdapl_op op) noexcept;

/** When the ring is full, have the module take what is there. */
Status make_room(Ia &ia) noexcept;

/**
 * Check a segment and write it into the entry.
 * @param pz      the module's id of the zone that its memory must be of
 * @param wanted  in: bytes of it that are wanted, the rest is left out;
 *                out: bytes still wanted
 */
Status add_segment(Ia &ia, std::uint32_t pz, const Segment &segment, std::uint32_t privilege,
		   std::uint64_t &wanted, kdapl_sqe &sqe) noexcept;

} // namespace kdapl
