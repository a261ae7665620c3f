// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * File names that come from a peer.
 */
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace copy {

/**
 * The last component of a path that a peer sent, when it can name a file in a
 * directory of ours: not empty, not "." or "..", no control characters, not
 * longer than a name may be. Otherwise nothing.
 */
std::optional<std::string> safe_file_name(std::string_view from_peer);

} // namespace copy
