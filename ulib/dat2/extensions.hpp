// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the extensions of uDAPL 2.0 have in common with other transfers. */
#pragma once

#include "version.hpp"

#include "engine/ep.hpp"

#include <cstdarg>

namespace face {

inline kdapl::RemoteSegment remote_segment(const DAT_RMR_TRIPLET &triplet) noexcept
{
	return { triplet.virtual_address, triplet.segment_length, triplet.rmr_context };
}

/** The arguments of dat_ib_open_query() behind the adapter's name. */
struct OpenQuery {
	explicit OpenQuery(va_list args) noexcept
		: ia(va_arg(args, DAT_IA_HANDLE *)), ia_mask(va_arg(args, DAT_IA_ATTR_MASK)),
		  ia_attr(va_arg(args, DAT_IA_ATTR *)),
		  provider_mask(va_arg(args, DAT_PROVIDER_ATTR_MASK)),
		  provider_attr(va_arg(args, DAT_PROVIDER_ATTR *))
	{
	}

	/** What was opened is asked, and closed again where it does not answer. */
	DAT_RETURN ask(decltype(::dat_ia_query) &query, decltype(::dat_ia_close) &close) const
	{
		const DAT_RETURN ret =
			query(*ia, nullptr, ia_mask, ia_attr, provider_mask, provider_attr);

		if (ret != DAT_SUCCESS)
			(void)close(*ia, DAT_CLOSE_ABRUPT_FLAG);
		return ret;
	}

	/* In the order in which they are passed. */
	DAT_IA_HANDLE *ia;
	DAT_IA_ATTR_MASK ia_mask;
	DAT_IA_ATTR *ia_attr;
	DAT_PROVIDER_ATTR_MASK provider_mask;
	DAT_PROVIDER_ATTR *provider_attr;
};

} // namespace face
