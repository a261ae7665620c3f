// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Test data: every byte depends on a stream number, a sequence number and its
 * offset, so that data which is old, misplaced or mixed is noticed.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace tools {

/** One message's worth of test data. */
struct Pattern {
	std::uint64_t stream; /**< keeps the two directions apart */
	std::uint64_t sequence; /**< number of the message */

	/** Writes the data. */
	void fill(std::span<std::byte> bytes) const;
	/** The offset of the first byte that is wrong, or nothing. */
	std::optional<std::size_t> mismatch(std::span<const std::byte> bytes) const;
};

} // namespace tools
