// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sends a call on a handle to the provider whose handle it is. */
#pragma once

#include "foreign.hpp"
#include "table.hpp"

namespace face {

/** Apart from the next, so that calls on own handles need not make room for it. */
template <auto Entry, class... Args>
[[gnu::noinline]] DAT_RETURN send_anywhere(DAT_HANDLE handle, Args... args)
{
	const DAT_PROVIDER *foreign = foreign_provider(handle);

	if (!foreign)
		return (face_own::table.*Entry)(handle, args...);
	if (!(foreign->*Entry))
		return error(DAT_NOT_IMPLEMENTED);
	return (foreign->*Entry)(handle, args...);
}

/** To the entry that a member points to, in the table of the handle's provider. */
template <auto Entry, class... Args>
DAT_RETURN send_on(DAT_HANDLE handle, Args... args)
{
	if (foreign_tables.empty()) [[likely]]
		return (face_own::table.*Entry)(handle, args...);
	return send_anywhere<Entry>(handle, args...);
}

/** The same where the object may be gone afterwards. */
template <auto Entry, class... Args>
DAT_RETURN send_last(DAT_HANDLE handle, Args... args)
{
	const DAT_RETURN ret = send_on<Entry>(handle, args...);

	foreign_tables.forget_handles();
	return ret;
}

} // namespace face
