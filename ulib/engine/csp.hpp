// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* CSP: a common service point listens on a socket address. */
#pragma once

#include "evd.hpp"

namespace kdapl {

/** A kind of socket address. */
struct Comm {
	int domain = 0;
	int type = 0;
	int protocol = 0;
};

class Csp final : public Child {
public:
	static constexpr Kind kind = Kind::csp;

	/** Listen on an address; with port 0 on a free port. */
	static Status create(const Ref<Ia> &ia, const Comm &comm, const sockaddr *address,
			     const Evd &evd, Ref<Csp> &csp);
	Status free() noexcept;

	/** What it was made with, as long as it lives; the address with its port. @{ */
	const Comm &comm() const noexcept { return comm_; }
	const sockaddr *address() const noexcept
	{
		return reinterpret_cast<const sockaddr *>(&address_);
	}
	Handle evd() const noexcept { return evd_; }
	/** @} */

	Csp(Slot *slot, Ref<Ia> ia, const Comm &comm, const Evd &evd) noexcept
		: Child(slot, kind, KDAPL_OBJ_PSP, std::move(ia)), comm_(comm), evd_(evd.handle())
	{
	}

private:
	Comm comm_;
	sockaddr_storage address_{};
	Handle evd_;
};

} // namespace kdapl
