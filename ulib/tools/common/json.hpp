// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Results as JSON. What came from outside (a name, a word of the command line) need not be
 * UTF-8: each byte of it that is not becomes U+FFFD.
 */
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace tools {

/** As text; on one line unless members shall be indented by so many. */
template <class Json>
std::string json_text(const Json &json, int indent = -1)
{
	return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

} // namespace tools
