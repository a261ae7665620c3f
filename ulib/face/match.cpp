// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "match.hpp"

namespace face {

Match match(const Request &request, const DAT_PROVIDER_INFO &info) noexcept
{
	if (request.name != info.ia_name)
		return Match::other_name;
	if (request.major != info.dapl_version_major || request.major != DAT_VERSION_MAJOR)
		return Match::other_major;
	/* Programs of an older one have smaller structures than are filled. */
	if (is_older(request.minor, DAT_VERSION_MINOR) ||
	    is_older(info.dapl_version_minor, request.minor))
		return Match::older_minor;
	/* Who keeps its calls apart can use a provider that need not be spared. */
	if (request.thread_safe && !info.is_thread_safe)
		return Match::not_thread_safe;
	return request.minor == info.dapl_version_minor ? Match::exact : Match::newer_minor;
}

Status not_found(Match nearest) noexcept
{
	switch (nearest) {
	case Match::other_major:
		return fail(Type::provider_not_found, Sub::major_not_found);
	case Match::older_minor:
		return fail(Type::provider_not_found, Sub::minor_not_found);
	case Match::not_thread_safe:
		return fail(Type::provider_not_found, Sub::thread_safety_not_found);
	default:
		return fail(Type::provider_not_found, Sub::name_not_registered);
	}
}

} // namespace face
