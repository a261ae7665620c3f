// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* PSP: a public service point listens on a connection qualifier. */
#pragma once

#include "evd.hpp"

namespace kdapl {

class Psp final : public Child {
public:
	static constexpr Kind kind = Kind::psp;

	/** Listen on a qualifier. */
	static Status create(const Ref<Ia> &ia, std::uint64_t conn_qual, const Evd &evd,
			     bool makes_eps, Ref<Psp> &psp);
	/** Listen on a qualifier that is free. */
	static Status create_any(const Ref<Ia> &ia, const Evd &evd, bool makes_eps, Ref<Psp> &psp);
	Status free() noexcept;

	std::uint64_t conn_qual() const noexcept { return conn_qual_; }
	Handle evd() const noexcept { return evd_; }

	/** Its requests come with an EP. */
	bool makes_eps() const noexcept { return makes_eps_; }

	Psp(Slot *slot, Ref<Ia> ia, const Evd &evd, bool makes_eps) noexcept
		: Child(slot, kind, KDAPL_OBJ_PSP, std::move(ia)), evd_(evd.handle()),
		  makes_eps_(makes_eps)
	{
	}

private:
	static Status listen(const Ref<Ia> &ia, kdapl_psp_create &arg, const Evd &evd,
			     bool makes_eps, Ref<Psp> &psp);

	std::uint64_t conn_qual_ = 0;
	Handle evd_;
	bool makes_eps_;
};

} // namespace kdapl
