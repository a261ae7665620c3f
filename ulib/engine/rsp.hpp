// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* RSP: a reserved service point takes one request, for one EP. */
#pragma once

#include "ep.hpp"

namespace kdapl {

class Rsp final : public Child {
public:
	static constexpr Kind kind = Kind::rsp;

	/**
	 * Listen on a qualifier; the EP is reserved. Without one the request comes with
	 * an EP, as a PSP's can.
	 */
	static Status create(const Ref<Ia> &ia, std::uint64_t conn_qual, const Ep *ep,
			     const Evd &evd, Ref<Rsp> &rsp);
	/** Stop; an EP that no request took is unconnected again. */
	Status free() noexcept;

	std::uint64_t conn_qual() const noexcept { return conn_qual_; }
	Handle ep() const noexcept { return ep_; }
	Handle evd() const noexcept { return evd_; }

	Rsp(Slot *slot, Ref<Ia> ia, std::uint64_t conn_qual, const Ep *ep, const Evd &evd) noexcept
		: Child(slot, kind, KDAPL_OBJ_RSP, std::move(ia)), conn_qual_(conn_qual),
		  ep_(ep ? ep->handle() : nullptr), evd_(evd.handle())
	{
	}

private:
	std::uint64_t conn_qual_;
	Handle ep_;
	Handle evd_;
};

} // namespace kdapl
