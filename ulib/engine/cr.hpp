// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * CR: a connection request. Made when its event is taken from the EVD; gone when
 * it is accepted or rejected.
 */
#pragma once

#include "ep.hpp"

#include <mutex>

namespace kdapl {

class Cr final : public Child {
public:
	static constexpr Kind kind = Kind::cr;

	/** What a program is told; lives as long as the CR. */
	struct Param {
		sockaddr_storage remote_address{};
		std::uint64_t remote_port = 0;
		std::uint32_t private_data_size = 0;
		unsigned char private_data[KDAPL_PRIVATE_DATA_MAX] = {};
	};

	/**
	 * The CR that an event brought. Throws std::bad_alloc; then nothing happened.
	 * @param ep_source  KDAPL_CR_EP_*
	 */
	static Ref<Cr> make(const Ref<Ia> &ia, std::uint32_t id, std::uint32_t ep_source);

	/** Asked of the module once. */
	Status query(Param *&param) noexcept;

	/** It is accepted on an EP of its own, which it brought along. */
	bool brings_ep() const noexcept { return brings_ep_; }
	/** That EP, or nullptr. */
	Handle ep() noexcept;

	/** Accept with an EP, perhaps its own; the outcome is an event of the EP. */
	Status accept(Ep &ep, std::span<const unsigned char> private_data) noexcept;
	/** Give it to another service point of the adapter. */
	Status hand_off(std::uint64_t conn_qual) noexcept;
	Status reject(std::span<const unsigned char> private_data) noexcept;

	Cr(Slot *slot, Ref<Ia> ia, std::uint32_t id, bool brings_ep) noexcept
		: Child(slot, kind, KDAPL_OBJ_CR, std::move(ia)), brings_ep_(brings_ep)
	{
		id_ = id;
	}

private:
	Status check_ep(const Ep &ep) const noexcept;
	void bring(Ep &ep) noexcept;
	void retire() noexcept;

	bool brings_ep_;
	bool made_ep_ = false; /**< its EP goes with it, unless that is accepted on */
	std::mutex mutex_; /**< below, once others can see it */
	Handle ep_ = nullptr;
	bool queried_ = false;
	Param param_;
};

} // namespace kdapl
