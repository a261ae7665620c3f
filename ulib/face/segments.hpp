// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The local memory of a post, as the engine has it. */
#pragma once

#include "face.hpp"

#include "engine/lmr.hpp"

#include <array>

namespace face {

inline kdapl::Segment segment_of(const DAT_LMR_TRIPLET &triplet) noexcept
{
	return { triplet.virtual_address, triplet.segment_length, triplet.lmr_context };
}

class Segments {
public:
	/** The arguments num_segments and local_iov, the second and third of all posts. */
	Status fill(DAT_COUNT num_segments, const DAT_LMR_TRIPLET *local_iov) noexcept
	{
		if (num_segments < 0 || num_segments > KDAPL_SEGS_MAX)
			return bad_parameter(Sub::arg2);
		if (num_segments && !local_iov)
			return bad_parameter(Sub::arg3);
		count_ = static_cast<std::size_t>(num_segments);
		for (std::size_t i = 0; i < count_; i++)
			segments_[i] = segment_of(local_iov[i]);
		return success;
	}

	std::span<const kdapl::Segment> all() const noexcept
	{
		return { segments_.data(), count_ };
	}

private:
	std::array<kdapl::Segment, KDAPL_SEGS_MAX> segments_;
	std::size_t count_ = 0;
};

} // namespace face
