// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "send_ring.hpp"

#include <algorithm>
#include <array>

namespace tools {

SendRing::SendRing(const Adapter &adapter, std::size_t slots, std::size_t slot_size)
	: slots_(adapter, std::max<std::size_t>(slots, 4), slot_size, local_access)
{
}

std::uint64_t SendRing::send(Connection &connection, std::size_t length, Tell tell,
			     const DAT_LMR_TRIPLET *more)
{
	const bool quarter = (posted_ + 1) % (slots() / 4) == 0;
	std::array<DAT_LMR_TRIPLET, 2> local{};
	std::size_t segments = 0;

	if (length)
		local[segments++] = slots_.segment(posted_ % slots(), length);
	if (more)
		local[segments++] = *more;
	connection.post_send(std::span(local).first(segments), tag | posted_,
			     tell == Tell::Each || quarter ? DAT_COMPLETION_DEFAULT_FLAG :
							     DAT_COMPLETION_SUPPRESS_FLAG);
	return posted_++;
}

} // namespace tools
