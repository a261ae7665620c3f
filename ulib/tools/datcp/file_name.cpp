// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "file_name.hpp"

#include <algorithm>

#include <climits>

namespace copy {

std::optional<std::string> safe_file_name(std::string_view from_peer)
{
	/* Without a slash npos + 1 is 0, and the whole text is the name. */
	std::string_view name = from_peer.substr(from_peer.rfind('/') + 1);
	auto control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };

	if (name.empty() || name == "." || name == ".." || name.size() > NAME_MAX ||
	    std::any_of(from_peer.begin(), from_peer.end(), control))
		return std::nullopt;
	return std::string(name);
}

} // namespace copy
