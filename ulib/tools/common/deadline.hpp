// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A moment after which waiting makes no sense any more.
 */
#pragma once

#include <algorithm>
#include <chrono>

#include <dat/udat.h>

namespace tools {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/** A point in time, or never. */
class Deadline {
public:
	/** Never passes. */
	Deadline() = default;
	/** Passes this long from now, in 30 years at most. */
	explicit Deadline(Seconds from_now)
		: limited_(true),
		  at_(Clock::now() +
		      std::chrono::duration_cast<Clock::duration>(std::min(from_now, Seconds(1e9))))
	{
	}

	bool passed() const { return limited_ && Clock::now() >= at_; }

	/** What is left, as DAT calls take it, who have 71 minutes at most; 0 once it has passed.
	 */
	DAT_TIMEOUT left() const
	{
		if (!limited_)
			return DAT_TIMEOUT_INFINITE;
		auto us = std::chrono::ceil<std::chrono::microseconds>(at_ - Clock::now()).count();
		return static_cast<DAT_TIMEOUT>(
			std::clamp<long long>(us, 0, DAT_TIMEOUT_INFINITE - 1LL));
	}

private:
	bool limited_ = false;
	Clock::time_point at_;
};

} // namespace tools
