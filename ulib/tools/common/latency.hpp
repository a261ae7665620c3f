// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Percentiles of any number of durations in fixed memory.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tools {

/**
 * A histogram of nanoseconds whose buckets widen with the value: exact below
 * 256 ns, within 1/128 (0.8 %) above. Minimum, maximum and mean are exact.
 */
class Latencies {
public:
	Latencies();

	void add(std::uint64_t ns);
	std::uint64_t count() const { return count_; }
	std::uint64_t min() const { return count_ ? min_ : 0; }
	std::uint64_t max() const { return max_; }
	double mean() const { return count_ ? sum_ / static_cast<double>(count_) : 0; }
	/**
	 * The least value that at least this percentage of all values do not
	 * exceed (nearest rank), up to the width of its bucket. 0 when empty.
	 */
	std::uint64_t percentile(double percent) const;

private:
	std::vector<std::uint64_t> buckets_;
	std::uint64_t count_ = 0;
	std::uint64_t min_ = UINT64_MAX;
	std::uint64_t max_ = 0;
	double sum_ = 0;
};

} // namespace tools
