// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "recv_ring.hpp"

namespace tools {

RecvRing::RecvRing(const Adapter &adapter, std::size_t slots, std::size_t slot_size)
	: slots_(adapter, slots, std::max<std::size_t>(slot_size, 1), local_access)
{
}

void RecvRing::post(Connection &connection, std::size_t slot)
{
	DAT_LMR_TRIPLET local = slots_.segment(slot, slots_.size());

	connection.post_recv({ &local, 1 }, slot);
}

void RecvRing::post_all(Connection &connection)
{
	for (std::size_t slot = 0; slot < slots(); slot++)
		post(connection, slot);
}

Message RecvRing::arrived(const Completion &completion) const
{
	return { completion.cookie, slots_.bytes(completion.cookie).first(completion.length) };
}

std::optional<Message> RecvRing::try_next(Connection &connection)
{
	auto completion = connection.try_recv();

	if (!completion)
		return std::nullopt;
	return arrived(*completion);
}

} // namespace tools
