// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One object of every type, for calls that take all of them. */
#pragma once

#include "endpoint.hpp"

#include <vector>

namespace suite {

/**
 * An adapter with an object of every type. They all go with the adapter, which is
 * closed abruptly.
 */
class EveryObject {
public:
	EveryObject();
	EveryObject(const EveryObject &) = delete;
	EveryObject &operator=(const EveryObject &) = delete;
	~EveryObject();

	/** Takes the adapter away. */
	void close(DAT_CLOSE_FLAGS flags = DAT_CLOSE_ABRUPT_FLAG);

	struct Object {
		DAT_HANDLE handle;
		DAT_HANDLE_TYPE type;
	};
	/** Which there are; the types from 0 on. */
	const std::vector<Object> &list() const noexcept { return list_; }
	DAT_HANDLE of(DAT_HANDLE_TYPE type) const { return list_.at(type).handle; }

	/** The RSP's EP, which is none of the list. */
	DAT_EP_HANDLE reserved() const noexcept { return reserved_; }

private:
	void make_memory();
	void make_service_points();

	bool open_ = true;
	DAT_IA_HANDLE ia_ = DAT_HANDLE_NULL;
	DAT_PZ_HANDLE pz_ = DAT_HANDLE_NULL;
	DAT_EVD_HANDLE evd_ = DAT_HANDLE_NULL;
	DAT_EP_HANDLE reserved_ = DAT_HANDLE_NULL;
	DAT_IA_ADDRESS_PTR address_ = nullptr;
	Pages pages_;
	std::vector<Object> list_;
};

} // namespace suite
