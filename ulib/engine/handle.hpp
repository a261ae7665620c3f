// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Handles: how programs name objects, and how the library tells a live handle
 * from anything else.
 *
 * A handle is a pointer whose first word points to the provider's table, as DAT
 * wants it; but it points into a slot of an arena that is never unmapped, not to
 * the object. A slot holds eight such words, and a handle points to the one that
 * the slot's generation selects, so that a freed handle does not become valid
 * again when its slot is used again: a slot rests until many others were freed,
 * and then comes back under another address, seven times over.
 *
 * A slot counts who uses its object. An object that was retired (freed by the
 * program) is not found any more and is deleted with its last user.
 */
#pragma once

#include "alone.hpp"
#include "dat_values.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

namespace kdapl {

class Object;
class Ia;

/** What a program holds. */
using Handle = const void *;

/** Where a handle points to, and the life of the object behind it. */
struct Slot {
	static constexpr unsigned words = 8;

	const void *provider[words];
	std::atomic<std::uint64_t> state; /**< see SlotState */
	Object *object;
	Slot *next_free;
	std::uint64_t pad[5];
};
static_assert(sizeof(Slot) == 128);

/** The fields of Slot::state: users, live, kind, generation. */
struct SlotState {
	static constexpr std::uint64_t one_user = 1;
	static constexpr std::uint64_t users_mask = 0xffffff;
	static constexpr std::uint64_t live = std::uint64_t{ 1 } << 24;
	static constexpr unsigned kind_shift = 25;
	static constexpr unsigned generation_shift = 32;

	std::uint64_t value;

	std::uint64_t users() const noexcept { return value & users_mask; }
	bool is_live() const noexcept { return value & live; }
	Kind kind() const noexcept { return static_cast<Kind>(value >> kind_shift & 0xf); }
	std::uint32_t generation() const noexcept
	{
		return static_cast<std::uint32_t>(value >> generation_shift);
	}
	/** It is live, of this kind, and a handle with this word is of its generation. */
	bool names(Kind kind, unsigned word) const noexcept
	{
		constexpr std::uint64_t mask = live | std::uint64_t{ 0xf } << kind_shift |
					       std::uint64_t{ Slot::words - 1 } << generation_shift;

		return (value & mask) == (live | static_cast<std::uint64_t>(kind) << kind_shift |
					  std::uint64_t{ word } << generation_shift);
	}
};

/** All slots of the process. */
class HandleTable {
public:
	static HandleTable &instance() noexcept { return the_table; }

	/** A child process was forked: no handle of the parent's is valid in it. */
	void forget_all() noexcept;

	/** A slot that is not live, with one user; nullptr without memory. */
	Slot *reserve(Kind kind, const void *provider) noexcept;

	/** Whether an address is one that only handles of this table have. */
	bool covers(Handle handle) const noexcept;

	/** From now on the handle is found, and is a user beside the caller. */
	void publish(Slot *slot) noexcept;

	/**
	 * From now on it is not found, and the handle is no user any more. False
	 * when somebody else retired it. The caller is a user, too.
	 */
	bool retire(Slot *slot) noexcept;

	/** The live object of this kind, without a user more; nullptr if it is none. */
	Object *find(Handle handle, Kind kind) const noexcept;
	/** One more user of the live object of this kind; nullptr if it is none. */
	Slot *pin(Handle handle, Kind kind) noexcept;
	/** The same for any kind. */
	Slot *pin_any(Handle handle) noexcept;
	/** The same by the object's word, see word(). */
	Slot *pin_word(std::uint64_t word, Kind kind) noexcept;
	/** The same for a slot that is known to hold an object. */
	bool pin_slot(Slot *slot) noexcept;
	/** One more user, where the caller is one already. */
	void share(Slot *slot) noexcept;
	/** One user less; the last one of a retired object deletes it. */
	void unpin(Slot *slot) noexcept;

	/** The handle of a slot in its present generation. */
	Handle handle(const Slot *slot) const noexcept;

	/**
	 * The word that the module echoes in events about the slot's object: the
	 * slot's index and generation, never 0.
	 */
	std::uint64_t word(const Slot *slot) const noexcept;

	/**
	 * As much of the word as fits 32 bits, never 0; and the object it names. After
	 * thousands of others in its slot it may name another one of its kind.
	 */
	std::uint32_t tag(const Slot *slot) const noexcept;
	Slot *pin_tag(std::uint32_t tag, Kind kind) noexcept;

	/**
	 * The handle that belongs to a word: of an object that may have been freed,
	 * but never of another object; nullptr when the slot was used again.
	 */
	Handle handle_of_word(std::uint64_t word) const noexcept;

private:
	/** Room is set aside for so many; where there is little, for less, down to the second. */
	static constexpr std::size_t max_slots = std::size_t{ 1 } << 20;
	static constexpr std::size_t min_slots = std::size_t{ 1 } << 13;
	static constexpr std::size_t slots_per_growth = 512;
	static constexpr unsigned tag_index_bits = 21; /**< of a tag, for the index and one */
	/** Freed slots rest until this many lie in the queue. */
	static constexpr std::size_t resting = 8192;

	constexpr HandleTable() noexcept = default;
	bool set_aside() noexcept;
	bool grow() noexcept;
	Slot *fresh_or_rested() noexcept;
	Slot *slot_of(Handle handle, unsigned &word_index) const noexcept;
	void release(Slot *slot) noexcept;
	template <class Accept>
	bool pin_if(Slot *slot, Accept accept) noexcept;

	/* Never destroyed: handles are checked while other destructors run. */
	static HandleTable the_table;

	std::atomic<Slot *> slots_ = nullptr;
	std::atomic<std::size_t> usable_ = 0; /**< slots that can be read; slots_ is set */
	std::mutex mutex_; /**< all below */
	std::size_t room_ = 0; /**< slots that there is address space for */
	std::size_t fresh_ = 0; /**< slots never used begin here */
	Slot *free_head_ = nullptr;
	Slot *free_tail_ = nullptr;
	std::size_t free_count_ = 0;
};

/** Count one user more if the object is live and accepted. */
template <class Accept>
bool HandleTable::pin_if(Slot *slot, Accept accept) noexcept
{
	SlotState state{ slot->state.load(std::memory_order_acquire) };

	do {
		if (!state.is_live() || !accept(state) || state.users() == SlotState::users_mask)
			return false;
		if (alone()) {
			slot->state.store(state.value + SlotState::one_user,
					  std::memory_order_relaxed);
			return true;
		}
	} while (!slot->state.compare_exchange_weak(state.value, state.value + SlotState::one_user,
						    std::memory_order_acq_rel,
						    std::memory_order_acquire));
	return true;
}

/** The slot that an address may point to, and which of its words. */
inline Slot *HandleTable::slot_of(Handle handle, unsigned &word_index) const noexcept
{
	const std::size_t bytes = usable_.load(std::memory_order_acquire) * sizeof(Slot);
	Slot *slots = slots_.load(std::memory_order_relaxed);
	/* An address before the arena wraps round to a large offset. */
	const std::size_t offset =
		reinterpret_cast<std::uintptr_t>(handle) - reinterpret_cast<std::uintptr_t>(slots);

	if (offset >= bytes)
		return nullptr;
	const std::size_t within = offset % sizeof(Slot);
	if (within % sizeof(void *) || within >= sizeof(Slot::provider))
		return nullptr;
	word_index = static_cast<unsigned>(within / sizeof(void *));
	return &slots[offset / sizeof(Slot)];
}

inline bool HandleTable::covers(Handle handle) const noexcept
{
	const std::size_t usable = usable_.load(std::memory_order_acquire);
	Slot *slots = slots_.load(std::memory_order_relaxed);

	return reinterpret_cast<std::uintptr_t>(handle) - reinterpret_cast<std::uintptr_t>(slots) <
	       usable * sizeof(Slot);
}

inline Slot *HandleTable::pin(Handle handle, Kind kind) noexcept
{
	unsigned word;
	Slot *slot = slot_of(handle, word);

	const auto accept = [&](SlotState state) {
		return state.kind() == kind && state.generation() % Slot::words == word;
	};
	return slot && pin_if(slot, accept) ? slot : nullptr;
}

inline Object *HandleTable::find(Handle handle, Kind kind) const noexcept
{
	unsigned word;
	const Slot *slot = slot_of(handle, word);

	if (!slot)
		return nullptr;
	const SlotState state{ slot->state.load(std::memory_order_relaxed) };
	return state.names(kind, word) ? slot->object : nullptr;
}

inline void HandleTable::unpin(Slot *slot) noexcept
{
	std::uint64_t before;

	if (alone()) {
		before = slot->state.load(std::memory_order_relaxed);
		slot->state.store(before - SlotState::one_user, std::memory_order_relaxed);
	} else {
		before = slot->state.fetch_sub(SlotState::one_user, std::memory_order_acq_rel);
	}
	if (SlotState{ before }.users() == 1)
		release(slot);
}

inline Handle HandleTable::handle_of_word(std::uint64_t word) const noexcept
{
	const std::size_t index = word & 0xffffffff;

	if (index >= usable_.load(std::memory_order_acquire))
		return nullptr;
	const Slot *slot = &slots_[index];
	const SlotState state{ slot->state.load(std::memory_order_acquire) };
	if (state.generation() != word >> 32)
		return nullptr;
	return &slot->provider[state.generation() % Slot::words];
}

/** A user of an object: it stays while this does. */
template <class T>
class Ref {
public:
	Ref() noexcept = default;
	/** Takes over a user counted already. */
	Ref(T *object, Slot *slot) noexcept : object_(object), slot_(slot) {}
	Ref(Ref &&other) noexcept
		: object_(std::exchange(other.object_, nullptr)),
		  slot_(std::exchange(other.slot_, nullptr))
	{
	}
	Ref &operator=(Ref &&other) noexcept
	{
		Ref old(std::move(*this));
		object_ = std::exchange(other.object_, nullptr);
		slot_ = std::exchange(other.slot_, nullptr);
		return *this;
	}
	~Ref()
	{
		if (slot_)
			HandleTable::instance().unpin(slot_);
	}

	/** One user more. */
	Ref share() const noexcept
	{
		if (slot_)
			HandleTable::instance().share(slot_);
		return Ref(object_, slot_);
	}

	T *operator->() const noexcept { return object_; }
	T &operator*() const noexcept { return *object_; }
	T *get() const noexcept { return object_; }
	explicit operator bool() const noexcept { return object_; }

private:
	T *object_ = nullptr;
	Slot *slot_ = nullptr;
};

/** The live object behind a handle of T's kind; empty if there is none. */
template <class T>
Ref<T> pin(Handle handle) noexcept
{
	Slot *slot = HandleTable::instance().pin(handle, T::kind);

	return slot ? Ref<T>(static_cast<T *>(slot->object), slot) : Ref<T>();
}

/**
 * The same object without a Ref, for who is alone(): it stays until the caller itself
 * frees it. nullptr if there is none.
 */
template <class T>
T *find_alone(Handle handle) noexcept
{
	return static_cast<T *>(HandleTable::instance().find(handle, T::kind));
}

/** The live object that an event's word names; empty if it is gone. */
template <class T>
Ref<T> pin_word(std::uint64_t word) noexcept
{
	Slot *slot = HandleTable::instance().pin_word(word, T::kind);

	return slot ? Ref<T>(static_cast<T *>(slot->object), slot) : Ref<T>();
}

/** The live object that a tag names; empty if it is gone. */
template <class T>
Ref<T> pin_tag(std::uint32_t tag) noexcept
{
	Slot *slot = HandleTable::instance().pin_tag(tag, T::kind);

	return slot ? Ref<T>(static_cast<T *>(slot->object), slot) : Ref<T>();
}

/** The live object behind a handle of any kind. */
Ref<Object> pin_any(Handle handle) noexcept;

} // namespace kdapl
