// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "handle.hpp"

#include "object.hpp"

#include <cstddef>
#include <sys/mman.h>
#include <type_traits>

namespace kdapl {

constinit HandleTable HandleTable::the_table;
static_assert(std::is_trivially_destructible_v<HandleTable>);

/**
 * Address space for the slots, which never move. It costs nothing, but RLIMIT_AS counts
 * it, and RLIMIT_MEMLOCK in a program that has all its memory locked: as much is left as
 * is taken.
 */
bool HandleTable::set_aside() noexcept
{
	for (std::size_t room = max_slots; room >= min_slots; room /= 2) {
		const std::size_t size = room * sizeof(Slot);
		void *arena = mmap(nullptr, 2 * size, PROT_NONE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (arena == MAP_FAILED)
			continue;
		munmap(static_cast<std::byte *>(arena) + size, size);
		slots_ = static_cast<Slot *>(arena);
		room_ = room;
		return true;
	}
	return false;
}

/** Make more slots readable. Caller holds the mutex. */
bool HandleTable::grow() noexcept
{
	const std::size_t usable = usable_.load(std::memory_order_relaxed);

	if (!slots_ && !set_aside())
		return false;
	if (usable == room_)
		return false;
	if (mprotect(slots_ + usable, slots_per_growth * sizeof(Slot), PROT_READ | PROT_WRITE))
		return false;
	usable_.store(usable + slots_per_growth, std::memory_order_release);
	return true;
}

/** A slot that nobody uses: a new one while few are resting. */
Slot *HandleTable::fresh_or_rested() noexcept
{
	std::lock_guard lock(mutex_);

	const bool must_grow = fresh_ == usable_.load(std::memory_order_relaxed);
	if (free_count_ < resting && (!must_grow || grow()))
		return &slots_[fresh_++];
	if (!free_head_)
		return nullptr;

	Slot *slot = free_head_;
	free_head_ = slot->next_free;
	if (!free_head_)
		free_tail_ = nullptr;
	free_count_--;
	return slot;
}

Slot *HandleTable::reserve(Kind kind, const void *provider) noexcept
{
	Slot *slot = fresh_or_rested();

	if (!slot)
		return nullptr;
	for (const void *&word : slot->provider)
		word = provider;

	const SlotState old{ slot->state.load(std::memory_order_relaxed) };
	std::uint64_t generation = old.generation() + std::uint64_t{ 1 };
	if (!(generation & 0xffffffff))
		generation = 1;
	slot->state.store(generation << SlotState::generation_shift |
				  static_cast<std::uint64_t>(kind) << SlotState::kind_shift |
				  SlotState::one_user,
			  std::memory_order_release);
	return slot;
}

void HandleTable::publish(Slot *slot) noexcept
{
	slot->state.fetch_add(SlotState::live + SlotState::one_user, std::memory_order_release);
}

bool HandleTable::retire(Slot *slot) noexcept
{
	const SlotState before{ slot->state.fetch_and(~SlotState::live,
						      std::memory_order_acq_rel) };

	if (before.is_live())
		unpin(slot);
	return before.is_live();
}

void HandleTable::share(Slot *slot) noexcept
{
	slot->state.fetch_add(SlotState::one_user, std::memory_order_relaxed);
}

Slot *HandleTable::pin_any(Handle handle) noexcept
{
	unsigned word;
	Slot *slot = slot_of(handle, word);

	const auto accept = [&](SlotState state) {
		return state.generation() % Slot::words == word;
	};
	return slot && pin_if(slot, accept) ? slot : nullptr;
}

Slot *HandleTable::pin_word(std::uint64_t word, Kind kind) noexcept
{
	const std::size_t index = word & 0xffffffff;

	if (index >= usable_.load(std::memory_order_acquire))
		return nullptr;
	Slot *slot = &slots_[index];
	const auto accept = [&](SlotState state) {
		return state.kind() == kind && state.generation() == word >> 32;
	};
	return pin_if(slot, accept) ? slot : nullptr;
}

bool HandleTable::pin_slot(Slot *slot) noexcept
{
	return pin_if(slot, [](SlotState) { return true; });
}

/** The last user is gone, and nobody can find the slot any more. */
void HandleTable::release(Slot *slot) noexcept
{
	Object *object = std::exchange(slot->object, nullptr);

	delete object;

	std::lock_guard lock(mutex_);
	slot->next_free = nullptr;
	if (free_tail_)
		free_tail_->next_free = slot;
	else
		free_head_ = slot;
	free_tail_ = slot;
	free_count_++;
}

void HandleTable::forget_all() noexcept
{
	/* The old slots stay mapped, so that new handles are others. */
	usable_ = 0;
	slots_ = nullptr;
	fresh_ = 0;
	free_head_ = free_tail_ = nullptr;
	free_count_ = 0;
}

Handle HandleTable::handle(const Slot *slot) const noexcept
{
	const SlotState state{ slot->state.load(std::memory_order_relaxed) };

	return &slot->provider[state.generation() % Slot::words];
}

std::uint64_t HandleTable::word(const Slot *slot) const noexcept
{
	const SlotState state{ slot->state.load(std::memory_order_relaxed) };

	return std::uint64_t{ state.generation() } << 32 |
	       static_cast<std::uint64_t>(slot - slots_);
}

std::uint32_t HandleTable::tag(const Slot *slot) const noexcept
{
	const SlotState state{ slot->state.load(std::memory_order_relaxed) };

	static_assert(max_slots < std::size_t{ 1 } << tag_index_bits);
	return state.generation() << tag_index_bits | static_cast<std::uint32_t>(slot - slots_ + 1);
}

Slot *HandleTable::pin_tag(std::uint32_t tag, Kind kind) noexcept
{
	/* A tag of 0 gives an index that no table has. */
	const std::size_t index = (tag & ((std::size_t{ 1 } << tag_index_bits) - 1)) - 1;

	if (index >= usable_.load(std::memory_order_acquire))
		return nullptr;
	Slot *slot = &slots_[index];
	const auto accept = [&](SlotState state) {
		return state.kind() == kind &&
		       state.generation() << tag_index_bits >> tag_index_bits ==
			       tag >> tag_index_bits;
	};
	return pin_if(slot, accept) ? slot : nullptr;
}

Ref<Object> pin_any(Handle handle) noexcept
{
	Slot *slot = HandleTable::instance().pin_any(handle);

	return slot ? Ref<Object>(slot->object, slot) : Ref<Object>();
}

} // namespace kdapl
