// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Whether an adapter is the one that a program asks for. */
#pragma once

#include "face.hpp"

#include <string>

namespace face {

/** What dat_ia_openv() asks for. */
struct Request {
	std::string name; /**< without the prefix of relaxed ordering */
	DAT_UINT32 major;
	DAT_UINT32 minor;
	bool thread_safe;
};

/** How near an adapter comes to a request, from far to near. */
enum class Match {
	other_name,
	other_major,
	older_minor,
	not_thread_safe,
	newer_minor,
	exact,
};

/** Of minor versions; a function, because some version has the least one there is. */
constexpr bool is_older(DAT_UINT32 version, DAT_UINT32 other) noexcept
{
	return version < other;
}

/** Whether it can be opened. */
constexpr bool is_good(Match match) noexcept
{
	return match >= Match::newer_minor;
}

/** What is asked for against what there is. */
Match match(const Request &request, const DAT_PROVIDER_INFO &info) noexcept;

/** The failure when nothing comes nearer. */
Status not_found(Match nearest) noexcept;

} // namespace face
