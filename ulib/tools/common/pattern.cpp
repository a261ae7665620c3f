// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "pattern.hpp"

#include <algorithm>
#include <cstring>

#include "echo/datping.h"

namespace tools {

void Pattern::fill(std::span<std::byte> bytes) const
{
	__u64 state = datping_pattern(stream, sequence);

	while (!bytes.empty()) {
		std::uint64_t word = datping_pattern_next(&state);
		std::size_t n = std::min(bytes.size(), sizeof(word));
		std::memcpy(bytes.data(), &word, n);
		bytes = bytes.subspan(n);
	}
}

std::optional<std::size_t> Pattern::mismatch(std::span<const std::byte> bytes) const
{
	__u64 state = datping_pattern(stream, sequence);

	for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
		std::uint64_t word = datping_pattern_next(&state);
		std::size_t n = std::min(bytes.size() - at, sizeof(word));
		if (std::memcmp(bytes.data() + at, &word, n) == 0)
			continue;
		auto *expected = reinterpret_cast<const std::byte *>(&word);
		auto *actual = bytes.data() + at;
		return at + static_cast<std::size_t>(
				    std::mismatch(expected, expected + n, actual).first - expected);
	}
	return std::nullopt;
}

} // namespace tools
