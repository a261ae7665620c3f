// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What datinfo tells about an adapter.
 */
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace info {

/**
 * Everything about one adapter: name, address, named attributes, limits,
 * abilities and memory ordering. Opens it to find out, under either of its names.
 */
nlohmann::ordered_json describe(const std::string &name);

} // namespace info
