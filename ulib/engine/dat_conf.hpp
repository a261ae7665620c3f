// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The language of dat.conf, the static registry: one line of eight fields for
 * each adapter.
 */
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kdapl {

/** One line of dat.conf. */
struct ConfEntry {
	std::string ia_name;
	bool for_kernel = false; /**< k1.2, not u1.2 */
	std::uint32_t major = 0; /**< of the API */
	std::uint32_t minor = 0;
	bool thread_safe = false;
	bool is_default = false;
	std::string library;
	std::string provider_version; /**< as it stands: NAME.1.0 */
	std::string instance_data; /**< for the provider */
	std::string platform_data; /**< nobody's any more */
	unsigned line = 0;
};

/** Told of each line that is skipped, and why. */
using ConfProblem = std::function<void(unsigned line, const std::string &reason)>;

/**
 * The adapter of ours that a line's instance data names; @a ia_name where it has none.
 *
 * As OFED's lines have it, a number may follow the name: a device's port. Ours of the
 * first port is called as the device, another one has the number behind it.
 */
std::string adapter_of(const std::string &instance_data, const std::string &ia_name);

/** All lines that can be read, in their order. */
std::vector<ConfEntry> parse_dat_conf(std::string_view text, const ConfProblem &problem);

} // namespace kdapl
