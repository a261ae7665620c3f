// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* PZ: a protection zone ties EPs to the memory they may touch. */
#pragma once

#include "ia.hpp"

namespace kdapl {

class Pz final : public Child {
public:
	static constexpr Kind kind = Kind::pz;

	static Status create(const Ref<Ia> &ia, Ref<Pz> &pz);
	Status free() noexcept;

	Pz(Slot *slot, Ref<Ia> ia) noexcept : Child(slot, kind, KDAPL_OBJ_PZ, std::move(ia)) {}
};

} // namespace kdapl
