// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "latency.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tools {

/*
 * A value keeps its 8 leading bits. Below 256 that is all of it; above, every
 * doubling is one more group of 128 buckets.
 */
static constexpr unsigned kept_bits = 8;
static constexpr std::size_t group = 1U << (kept_bits - 1);
static constexpr std::size_t bucket_count = (64 - kept_bits + 2) * group;

static std::size_t bucket_of(std::uint64_t ns)
{
	unsigned width = static_cast<unsigned>(std::bit_width(ns));

	if (width <= kept_bits)
		return static_cast<std::size_t>(ns);
	unsigned shift = width - kept_bits;
	return shift * group + static_cast<std::size_t>(ns >> shift);
}

/* The largest value of a bucket. */
static std::uint64_t bucket_top(std::size_t bucket)
{
	if (bucket < 2 * group)
		return bucket;
	std::size_t shift = bucket / group - 1;
	std::uint64_t lead = bucket - shift * group;
	return ((lead + 1) << shift) - 1;
}

Latencies::Latencies() : buckets_(bucket_count) {}

void Latencies::add(std::uint64_t ns)
{
	buckets_[bucket_of(ns)]++;
	count_++;
	sum_ += static_cast<double>(ns);
	min_ = std::min(min_, ns);
	max_ = std::max(max_, ns);
}

std::uint64_t Latencies::percentile(double percent) const
{
	if (!count_)
		return 0;
	double wanted = std::ceil(percent / 100 * static_cast<double>(count_));
	auto rank = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1, count_);
	std::uint64_t seen = 0;
	std::size_t bucket = 0;
	while (seen + buckets_[bucket] < rank)
		seen += buckets_[bucket++];
	return std::clamp(bucket_top(bucket), min_, max_);
}

} // namespace tools
