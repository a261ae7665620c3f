// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What all objects have in common: a slot that names them, the consumer's
 * context, the IA they belong to and the module's id for them.
 */
#pragma once

#include "handle.hpp"

#include <atomic>
#include <cstdint>
#include <new>
#include <utility>

namespace kdapl {

class Ia;

/** Base of all objects. Lives until its last Ref after it was retired. */
class Object {
public:
	Object(const Object &) = delete;
	Object &operator=(const Object &) = delete;
	virtual ~Object() = default;

	Handle handle() const noexcept { return HandleTable::instance().handle(slot_); }
	std::uint64_t word() const noexcept { return HandleTable::instance().word(slot_); }
	std::uint32_t tag() const noexcept { return HandleTable::instance().tag(slot_); }
	Kind kind_of() const noexcept { return kind_; }
	std::uint32_t id() const noexcept { return id_; }

	/** Eight bytes of the program's own. */
	std::uint64_t context() const noexcept { return context_.load(std::memory_order_relaxed); }
	void set_context(std::uint64_t context) noexcept
	{
		context_.store(context, std::memory_order_relaxed);
	}

	/**
	 * One of its counters, see counters.hpp: 0 where it does not count that.
	 * @param reset  it is 0 from now on
	 */
	virtual std::uint64_t counter(std::uint32_t /*number*/, bool /*reset*/) noexcept
	{
		return 0;
	}

protected:
	Object(Slot *slot, Kind kind) noexcept : slot_(slot), kind_(kind) {}

	std::uint32_t id_ = 0; /**< the module's name for it, once it has one */

private:
	friend class Ia;

	Slot *slot_;
	Kind kind_;
	std::atomic<std::uint64_t> context_ = 0;
	Object *previous_ = nullptr; /**< in the IA's list, under its mutex */
	Object *next_ = nullptr;
};

/** An object being made: gone again unless it is published. */
template <class T>
class Draft {
public:
	/** May throw std::bad_alloc. */
	template <class... Args>
	explicit Draft(const void *provider, Args &&...args)
		: slot_(HandleTable::instance().reserve(T::kind, provider))
	{
		if (!slot_)
			throw std::bad_alloc();
		try {
			object_ = new T(slot_, std::forward<Args>(args)...);
		} catch (...) {
			HandleTable::instance().unpin(slot_);
			throw;
		}
		slot_->object = object_;
	}
	Draft(const Draft &) = delete;
	Draft &operator=(const Draft &) = delete;
	~Draft()
	{
		if (slot_)
			HandleTable::instance().unpin(slot_);
	}

	T *operator->() const noexcept { return object_; }
	T &operator*() const noexcept { return *object_; }

	/** From now on the handle is found. */
	Ref<T> publish() noexcept
	{
		Slot *slot = std::exchange(slot_, nullptr);

		HandleTable::instance().publish(slot);
		return Ref<T>(object_, slot);
	}

private:
	Slot *slot_;
	T *object_ = nullptr;
};

} // namespace kdapl
