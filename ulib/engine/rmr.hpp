// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* RMR: a window onto part of an LMR, for the peer. */
#pragma once

#include "ep.hpp"

#include <mutex>

namespace kdapl {

class Rmr final : public Child {
public:
	static constexpr Kind kind = Kind::rmr;

	/** What it shows, as the last bind that was posted has it. */
	struct Binding {
		Segment segment{};
		std::uint32_t privileges = 0; /**< KDAPL_PRIV_* */
		std::uint32_t context = 0;
	};

	/** A bind to post. */
	struct Bind {
		Segment segment; /**< of no length: unbind */
		std::uint32_t privileges;
		std::uint32_t flags; /**< CompletionFlags */
		std::uint64_t cookie;
	};

	static Status create(const Pz &pz, Ref<Rmr> &rmr);
	Status free() noexcept;

	/** Post a bind on an EP; context is the peer's name for what will be bound. */
	Status bind(Ep &ep, const Bind &args, std::uint32_t &context) noexcept;

	Binding binding() noexcept;
	void lose(std::uint32_t context) noexcept override;
	Handle pz() const noexcept { return pz_; }

	Rmr(Slot *slot, Ref<Ia> ia, const Pz &pz) noexcept
		: Child(slot, kind, KDAPL_OBJ_RMR, std::move(ia)), pz_(pz.handle()), pz_id_(pz.id())
	{
	}

private:
	Status check(const Ep &ep, const Bind &args) const noexcept;
	Status check_segment(const Bind &args) const noexcept;
	void set_binding(const Binding &binding) noexcept;
	void forget_losses() noexcept;

	Handle pz_;
	std::uint32_t pz_id_;

	std::mutex bind_mutex_; /**< one bind at a time, however long it takes */
	/** Below; innermost. lose() has it while the IA's list and an EVD are locked. */
	std::mutex mutex_;
	Binding binding_;
	std::uint32_t lost_ = 0; /**< the last context that was */
};

} // namespace kdapl
