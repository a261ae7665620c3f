// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "entry.hpp"

namespace kdapl {

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

Status empty_ring(Ia &ia) noexcept
{
	ia.sq().note_doorbell();
	if (Status status = ia.ring_doorbell(); !status.ok())
		return status;
	return ia.sq().full() ? fail(Type::insufficient_resources, Sub::resource_credits) : success;
}

} // namespace kdapl
