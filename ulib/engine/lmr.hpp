// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* LMR: registered memory. Its id in the module is its LMR context. */
#pragma once

#include "pz.hpp"

#include <array>
#include <span>

namespace kdapl {

/** A range of local memory, as a post or a sync names it. */
struct Segment {
	std::uint64_t address;
	std::uint64_t length;
	std::uint32_t lmr;
};

class Lmr final : public Child {
public:
	static constexpr Kind kind = Kind::lmr;

	using Cookie = std::array<char, KDAPL_COOKIE_SIZE>;

	struct Create {
		std::uint32_t mem_type; /**< KDAPL_MEM_* */
		std::uint32_t privileges; /**< KDAPL_PRIV_* */
		std::uint64_t address = 0;
		std::uint64_t length = 0;
		Handle source_handle{}; /**< KDAPL_MEM_LMR: whose memory it is */
		std::uint32_t source = 0; /**< and its id */
		Cookie cookie{}; /**< KDAPL_MEM_SHARED */
	};

	static Status create(const Ref<Ia> &ia, const Pz &pz, const Create &args, Ref<Lmr> &lmr);
	Status free() noexcept;

	/** Whether all segments lie in memory registered with the IA. */
	static Status check_registered(Ia &ia, std::span<const Segment> segments) noexcept;

	/** As asked for, with the memory type and the range that it became. */
	const Create &attributes() const noexcept { return attributes_; }
	/** As dat_lmr_query() tells it: where a program can read it. */
	Cookie &cookie() noexcept { return attributes_.cookie; }
	Handle pz() const noexcept { return pz_; }
	std::uint32_t lmr_context() const noexcept { return id(); }
	std::uint32_t rmr_context() const noexcept { return rmr_context_; }

	Lmr(Slot *slot, Ref<Ia> ia, const Pz &pz, const Create &args) noexcept
		: Child(slot, kind, KDAPL_OBJ_LMR, std::move(ia)), attributes_(args),
		  pz_(pz.handle())
	{
	}

private:
	Create attributes_;
	Handle pz_;
	std::uint32_t rmr_context_ = 0;
};

} // namespace kdapl
