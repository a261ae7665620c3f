// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A call's result, by type and subtype. */
#pragma once

#include "failure.hpp"

namespace suite {

/** Fails unless the call failed with exactly this. */
inline void refused(DAT_RETURN result, DAT_RETURN_TYPE type, DAT_RETURN_SUBTYPE subtype,
		    Location where = Location::current())
{
	require(result == DAT_ERROR(type, subtype), "got " + result_name(result), where);
}

} // namespace suite
