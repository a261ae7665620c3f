// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "entry.hpp"

namespace kdapl {

namespace {

Status no_privilege(std::uint32_t privilege) noexcept
{
	return fail(Type::privileges_violation, privilege == KDAPL_PRIV_LOCAL_READ ?
							Sub::privileges_read :
							Sub::privileges_write);
}

Status wrong_zone(std::uint32_t privilege) noexcept
{
	return fail(Type::protection_violation, privilege == KDAPL_PRIV_LOCAL_READ ?
							Sub::protection_read :
							Sub::protection_write);
}

} // namespace

std::uint32_t privilege_needed(kdapl_op op) noexcept
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

Status make_room(Ia &ia) noexcept
{
	if (!ia.sq().full())
		return success;
	ia.sq().note_doorbell();
	if (Status status = ia.ring_doorbell(); !status.ok())
		return status;
	return ia.sq().full() ? fail(Type::insufficient_resources, Sub::resource_credits) : success;
}

Status add_segment(Ia &ia, std::uint32_t pz, const Segment &segment, std::uint32_t privilege,
		   std::uint64_t &wanted, kdapl_sqe &sqe) noexcept
{
	const LmrEntry *lmr = ia.lmrs().find(segment.lmr);

	if (!lmr || !(lmr->privileges & privilege))
		return no_privilege(privilege);
	if (lmr->pz != pz)
		return wrong_zone(privilege);
	if (!lmr->covers(segment.address, segment.length))
		return fail(Type::invalid_parameter, Sub::arg3);

	/* Devices differ in what an empty segment means to them. */
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
