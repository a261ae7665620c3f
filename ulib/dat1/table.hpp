// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of entry points of uDAPL 1.2. */
#pragma once

#include "face/own.hpp"

namespace face_own {

/** dat_ia_openv() as the table has it: the prefix became an argument. */
template <bool thread_safe>
DAT_RETURN ia_open(const DAT_NAME_PTR ia_name, DAT_COUNT async_min_qlen, DAT_EVD_HANDLE *async_evd,
		   DAT_IA_HANDLE *ia_handle, DAT_BOOLEAN ro_aware_client);

constexpr DAT_PROVIDER make_table(bool thread_safe) noexcept
{
	DAT_PROVIDER made = shared_entries;

	made.ia_open_func = thread_safe ? ia_open<true> : ia_open<false>;
	return made;
}

/** All of them. Each adapter's table is one with its name. */
inline constexpr DAT_PROVIDER table = make_table(true);

} // namespace face_own
