// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a peer sent along with a request or an acceptance. */
#pragma once

#include "adapter.hpp"

#include <cstring>
#include <string>
#include <string_view>

namespace suite {

/**
 * Fails unless this is what the peer sent. Over IB and RoCE the receiver sees the
 * transport's whole field, padded with zeros.
 */
inline void require_private_data(const void *data, DAT_COUNT size, std::string_view expected,
				 Location where = Location::current())
{
	auto bytes = static_cast<const unsigned char *>(data);

	require(size >= static_cast<DAT_COUNT>(expected.size()), "private data was cut", where);
	require(!Adapter::iwarp() || size == static_cast<DAT_COUNT>(expected.size()),
		"private data grew to " + std::to_string(size) + " bytes", where);
	require(expected.empty() || std::memcmp(bytes, expected.data(), expected.size()) == 0,
		"private data changed", where);
	for (DAT_COUNT i = static_cast<DAT_COUNT>(expected.size()); i < size; i++)
		require(bytes[i] == 0, "private data has a tail", where);
}

} // namespace suite
