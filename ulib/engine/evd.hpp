// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* EVD: an event dispatcher, a queue that the module fills and programs empty. */
#pragma once

#include "alone.hpp"
#include "evring.hpp"
#include "deadline.hpp"
#include "ia.hpp"
#include "srq.hpp"

#include <mutex>

namespace kdapl {

/** An event, in no DAT version's layout. Which members count depends on the number. */
struct Event {
	std::uint32_t number = 0; /**< DAT_EVENT_NUMBER */
	std::uint32_t status = 0; /**< DTO: status; async: reason */
	std::uint32_t operation = 0; /**< DTO: of DAT_DTOS or KDAPL_EV_OP_*, see IaOpen */
	std::uint32_t value = 0; /**< DTO: what came with the message, see KDAPL_EV_VALUE */
	Handle object = nullptr; /**< EP; PSP or RSP of a request; what an async event is about */
	std::uint64_t cookie = 0; /**< DTO; software */
	std::uint64_t length = 0; /**< DTO: bytes moved */
	Handle cr = nullptr; /**< request */
	std::uint64_t conn_qual = 0; /**< request */
	const sockaddr *local_address = nullptr; /**< request */
	void *private_data = nullptr; /**< connection */
	std::uint32_t private_data_size = 0; /**< connection */
};

class Cno;

class Evd final : public Child {
public:
	static constexpr Kind kind = Kind::evd;

	static Status create(const Ref<Ia> &ia, std::uint32_t qlen, std::uint32_t flags,
			     Ref<Evd> &evd);
	Status free() noexcept;

	/** Nothing is there to take. To be asked first: a program that polls looks often. */
	bool looks_empty() noexcept;
	/**
	 * Take the oldest event if it is a completion; false: nothing has happened. It is
	 * made part of its caller. Lock is that of the EVD's mutex, or Unlocked.
	 */
	template <class Lock>
	bool take_completion(Event &event) noexcept;
	/** Take an event if there is one. A system call only where the module has more. */
	Status dequeue(Event &event);

	/**
	 * Sleep until threshold events are there, and take one. A cancellation point.
	 * @param timeout_us  0 looks once
	 * @param more        out: events left; also when the wait ends without one
	 */
	Status wait(std::uint32_t timeout_us, std::uint32_t threshold, Event &event,
		    std::uint32_t &more);

	/** Drops all events, and turns away the peers of requests: the adapter is being closed. */
	void discard_requests() noexcept;
	void leave() noexcept override;
	bool left() const noexcept { return left_.load(std::memory_order_relaxed); }

	/** Have it hold so many events. It never holds fewer than before. */
	Status resize(std::uint32_t qlen);

	/** Queue an event of the program's own. */
	Status post_software(std::uint64_t cookie) noexcept;

	/** Whether it can be waited on; at false who waits is sent away. */
	Status set_waitable(bool waitable) noexcept;
	bool waitable() const noexcept { return waitable_.load(std::memory_order_acquire); }

	/** Not every completion is a notification: enum kdapl_notify. @{ */
	bool is_quiet() const noexcept { return ring_.waits_in_module(); }
	bool is_solicited() const noexcept { return ring_.is_solicited(); }
	/** @} */

	/** Events it holds. */
	std::uint32_t qlen() const noexcept { return ring_.entries(); }
	/** Streams that may feed it: EvdFlags. */
	std::uint32_t flags() const noexcept { return flags_; }
	bool enabled() const noexcept { return enabled_.load(std::memory_order_relaxed); }
	/** Whether events trigger its CNO. */
	Status enable(bool on) noexcept;
	/** The CNO that events trigger; nullptr for none. */
	Status set_cno(const Cno *cno) noexcept;
	Handle cno() const noexcept { return cno_.load(std::memory_order_relaxed); }

	std::uint64_t counter(std::uint32_t number, bool reset) noexcept override;

	Evd(Slot *slot, Ref<Ia> ia, std::uint32_t flags) noexcept
		: Child(slot, kind, KDAPL_OBJ_EVD, std::move(ia)), flags_(flags)
	{
	}

private:
	class Waiting;

	Status sleep(std::uint64_t deadline_ns, std::uint32_t threshold);
	void left_by_cancelled() noexcept;
	std::uint32_t queued() noexcept;
	[[gnu::noinline]] Status fill(std::uint32_t &queued) noexcept;
	Status take(Event &event);
	void translate(const kdapl_event &from, Event &to);
	void translate_completion(const kdapl_event &from, Event &to) noexcept;
	[[gnu::noinline]] void translate_rare(const kdapl_event &from, Event &to);
	void translate_connection(const kdapl_event &from, Event &to) noexcept;
	void pop() noexcept;
	void count_dequeue(bool asked, bool found) noexcept;
	void discard_request(const kdapl_event &event) noexcept;
	Status notify(std::uint32_t cno, bool enabled) noexcept;

	std::uint32_t flags_;
	std::mutex notify_mutex_; /**< who changes the next four */
	std::uint32_t cno_id_ = 0;
	std::atomic<Handle> cno_ = nullptr;
	std::atomic<bool> enabled_ = true;
	std::atomic<bool> waitable_ = true;
	std::atomic<bool> left_ = false;
	std::atomic<bool> waiter_ = false; /**< set under the mutex */
	Mutex mutex_; /**< who takes events */
	EvRing ring_;
	Counters<evd_counters> counters_; /**< who takes events counts, and the one who waits */
};

/** Of the status in a completion's word, and of the operation above it. */
inline constexpr std::uint32_t dto_byte = (1U << KDAPL_EV_OP_SHIFT) - 1;

/** Where an event has a value in the place of its number, it is a completion. */
inline std::uint32_t number_of(const kdapl_event &event) noexcept
{
	return event.status & KDAPL_EV_VALUE ? std::uint32_t{ event_dto } : event.type;
}

inline void Evd::translate_completion(const kdapl_event &from, Event &to) noexcept
{
	to.number = number_of(from);
	to.status = from.status & dto_byte;
	to.operation = from.status >> KDAPL_EV_OP_SHIFT & dto_byte;
	to.value = from.status & KDAPL_EV_VALUE ? from.type : 0;
	to.object = HandleTable::instance().handle_of_word(from.user);
	to.cookie = from.cookie;
	to.length = from.length & 0xffffffff;
	if (to.operation == operation_receive_with_invalidate)
		ia().lose(to.value);
}

/** An SRQ counts the receives that its program has not heard of. */
inline void Evd::pop() noexcept
{
	const kdapl_event &event = ring_.peek();
	const std::uint32_t srq = number_of(event) == event_dto ? event.length >> 32 : 0;

	ring_.pop();
	if (srq)
		Srq::reaped(srq);
}

/**
 * Looks at a ring that is seen to be empty are not counted: any number of threads can
 * take them at once, and they write nothing.
 */
inline void Evd::count_dequeue(bool asked, bool found) noexcept
{
	counters_.add(evd_dequeue);
	counters_.add(found ? evd_dequeue_found : evd_dequeue_not_found);
	if (asked)
		counters_.add(evd_dequeue_poll);
	if (asked && found)
		counters_.add(evd_dequeue_poll_found);
}

template <class Lock>
[[gnu::always_inline]] inline bool Evd::take_completion(Event &event) noexcept
{
	const Lock lock(mutex_);

	if (waiter_.load(std::memory_order_relaxed) || !ring_.count() ||
	    number_of(ring_.peek()) != event_dto)
		return false;
	ia().spin().found(id(), spin_clock);
	translate_completion(ring_.peek(), event);
	pop();
	count_dequeue(false, true);
	return true;
}

inline bool Evd::looks_empty() noexcept
{
	if (ring_.count() || ring_.module_has_more() || waiter_.load(std::memory_order_relaxed))
		return false;
	ia().spin().looked(spin_clock);
	return true;
}

} // namespace kdapl
