// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The two rings: arithmetic through 2^32, and the barriers between two threads
// that play program and module.

#include "engine/evring.hpp"
#include "engine/sq.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace {

using namespace kdapl;

class NoDevice final : public Device {
public:
	int control(unsigned long, void *) noexcept override { return 0; }
	void *map(std::uint64_t, std::size_t, bool) noexcept override { return nullptr; }
	void unmap(void *, std::size_t) noexcept override {}
	int file() const noexcept override { return -1; }
};

NoDevice no_device;

template <class T>
Shared<T> share(void *memory, std::size_t size)
{
	return { std::make_shared<Mapping>(no_device, memory, size), static_cast<T *>(memory) };
}

/** A submission ring in plain memory. */
struct SqMemory {
	explicit SqMemory(std::uint32_t entries, std::uint32_t start = 0)
		: size(KDAPL_SQ_ENTRIES_OFFSET + entries * sizeof(kdapl_sqe)),
		  words(std::make_unique<std::uint64_t[]>(size / 8)), entries(entries)
	{
		ring()->tail = start;
		status.head = start;
	}
	kdapl_sq_ring *ring() { return reinterpret_cast<kdapl_sq_ring *>(words.get()); }
	kdapl_sqe &entry(std::uint32_t index)
	{
		auto *first = reinterpret_cast<char *>(words.get()) + KDAPL_SQ_ENTRIES_OFFSET;
		return reinterpret_cast<kdapl_sqe *>(first)[index & (entries - 1)];
	}
	bool attach(Sq &sq)
	{
		return sq.attach(share<kdapl_sq_ring>(words.get(), size),
				 share<const kdapl_sq_status>(&status, sizeof status), entries);
	}

	std::size_t size;
	std::unique_ptr<std::uint64_t[]> words;
	std::uint32_t entries;
	kdapl_sq_status status{};
};

/** An event ring in plain memory. */
struct EvMemory {
	explicit EvMemory(std::uint32_t entries, std::uint32_t start = 0)
		: size(KDAPL_EV_ENTRIES_OFFSET + entries * sizeof(kdapl_event)),
		  words(std::make_unique<std::uint64_t[]>(size / 8)), entries(entries)
	{
		ring()->tail = start;
		head.head = start;
	}
	kdapl_ev_ring *ring() { return reinterpret_cast<kdapl_ev_ring *>(words.get()); }
	kdapl_event &entry(std::uint32_t index)
	{
		auto *first = reinterpret_cast<char *>(words.get()) + KDAPL_EV_ENTRIES_OFFSET;
		return reinterpret_cast<kdapl_event *>(first)[index & (entries - 1)];
	}
	bool attach(EvRing &ev)
	{
		return ev.attach(share<const kdapl_ev_ring>(words.get(), size),
				 share<kdapl_ev_head>(&head, sizeof head), entries);
	}

	std::size_t size;
	std::unique_ptr<std::uint64_t[]> words;
	std::uint32_t entries;
	kdapl_ev_head head{};
};

constexpr std::uint32_t near_wrap = 0xffffff00;

TEST(SqRing, AbsurdDescriptionsAreRefused)
{
	SqMemory memory(8);
	Sq sq;
	const auto ring = share<kdapl_sq_ring>(memory.words.get(), memory.size);
	const auto status = share<const kdapl_sq_status>(&memory.status, sizeof memory.status);

	EXPECT_FALSE(sq.attach(ring, status, 0));
	EXPECT_FALSE(sq.attach(ring, status, 7));
	EXPECT_FALSE(sq.attach(ring, status, 16)) << "longer than the mapping";
	EXPECT_FALSE(sq.attach({}, status, 8));
	EXPECT_FALSE(sq.attach(ring, {}, 8));
	EXPECT_TRUE(sq.attach(ring, status, 8));
}

TEST(SqRing, FullAndFreeThroughTheWrap)
{
	SqMemory memory(4, 0xfffffffe);
	Sq sq;
	ASSERT_TRUE(memory.attach(sq));

	for (std::uint64_t i = 0; i < 4; i++) {
		ASSERT_FALSE(sq.full());
		sq.next().cookie = i;
		sq.push();
	}
	EXPECT_TRUE(sq.full());
	EXPECT_EQ(memory.ring()->tail, 2u);
	EXPECT_EQ(memory.entry(0xfffffffe).cookie, 0u);
	EXPECT_EQ(memory.entry(1).cookie, 3u);
	store_release(memory.status.head, 0xffffffff);
	EXPECT_FALSE(sq.full());
}

TEST(EvRing, AbsurdDescriptionsAreRefused)
{
	EvMemory memory(8);
	EvRing ev;
	const auto ring = share<const kdapl_ev_ring>(memory.words.get(), memory.size);
	const auto head = share<kdapl_ev_head>(&memory.head, sizeof memory.head);

	EXPECT_FALSE(ev.attach(ring, head, 0));
	EXPECT_FALSE(ev.attach(ring, head, 6));
	EXPECT_FALSE(ev.attach(ring, head, 16));
	EXPECT_FALSE(ev.attach({}, head, 8));
	EXPECT_FALSE(ev.attach(ring, {}, 8));
	EXPECT_TRUE(ev.attach(ring, head, 8));
}

TEST(EvRing, CountsThroughTheWrap)
{
	EvMemory memory(4, 0xffffffff);
	EvRing ev;
	ASSERT_TRUE(memory.attach(ev));
	EXPECT_EQ(ev.count(), 0u);

	for (std::uint32_t i = 0; i < 3; i++)
		memory.entry(0xffffffff + i).cookie = i;
	store_release(memory.ring()->tail, 2);
	EXPECT_EQ(ev.count(), 3u);
	for (std::uint32_t i = 0; i < 3; i++) {
		EXPECT_EQ(ev.peek().cookie, i);
		ev.pop();
	}
	EXPECT_EQ(ev.count(), 0u);
	EXPECT_EQ(memory.head.head, 2u);
}

// The module gives the head's place to the next ring as soon as this one is destroyed.
TEST(EvRing, DoesNotWriteAHeadThatItHasLeft)
{
	EvMemory memory(4);
	EvRing ev;
	ASSERT_TRUE(memory.attach(ev));

	store_release(memory.ring()->tail, 3);
	ev.pop();
	EXPECT_EQ(memory.head.head, 1u);
	ev.leave_head();
	ev.pop();
	EXPECT_EQ(memory.head.head, 1u);
	EXPECT_EQ(ev.count(), 1u);
}

TEST(EvRing, TellsThatTheModuleHasMore)
{
	EvMemory memory(4);
	EvRing ev;
	ASSERT_TRUE(memory.attach(ev));

	EXPECT_FALSE(ev.module_has_more());
	memory.ring()->flags = KDAPL_EV_BACKLOG;
	EXPECT_TRUE(ev.module_has_more());
	memory.ring()->flags = KDAPL_EV_ASK;
	EXPECT_TRUE(ev.module_has_more());
	memory.ring()->flags = KDAPL_EV_DEAD;
	EXPECT_FALSE(ev.module_has_more());
}

// A, B, C, D: every field of every entry arrives as it was written.
TEST(SqRing, TwoThreads)
{
	constexpr std::uint32_t count = 1000000;
	SqMemory memory(16, near_wrap);
	Sq sq;
	ASSERT_TRUE(memory.attach(sq));
	std::uint32_t wrong = 0;

	std::jthread module([&] {
		std::uint32_t head = near_wrap;
		for (std::uint32_t i = 0; i < count; i++) {
			while (load_acquire(memory.ring()->tail) == head) /* B */
				std::this_thread::yield();
			const kdapl_sqe &sqe = memory.entry(head);
			wrong += sqe.cookie != i || sqe.ep != i ||
				 sqe.seg[5].addr != ~std::uint64_t{ i };
			store_release(memory.status.head, ++head); /* C */
		}
	});
	for (std::uint32_t i = 0; i < count; i++) {
		while (sq.full())
			std::this_thread::yield();
		kdapl_sqe &sqe = sq.next();
		sqe.ep = i;
		sqe.cookie = i;
		sqe.seg[5].addr = ~std::uint64_t{ i };
		sq.push();
	}
	module.join();
	EXPECT_EQ(wrong, 0u);
}

// E, F, G, H: the same for events.
TEST(EvRing, TwoThreads)
{
	constexpr std::uint32_t count = 1000000;
	EvMemory memory(16, near_wrap);
	EvRing ev;
	ASSERT_TRUE(memory.attach(ev));
	std::uint32_t wrong = 0;

	std::jthread module([&] {
		std::uint32_t tail = near_wrap;
		for (std::uint32_t i = 0; i < count; i++) {
			while (tail - load_acquire(memory.head.head) >= memory.entries) /* H */
				std::this_thread::yield();
			memory.entry(tail) = { i, ~std::uint64_t{ i }, i, i, i };
			store_release(memory.ring()->tail, ++tail); /* E */
		}
	});
	for (std::uint32_t i = 0; i < count; i++) {
		while (!ev.count())
			std::this_thread::yield();
		const kdapl_event &event = ev.peek();
		wrong +=
			event.user != i || event.cookie != ~std::uint64_t{ i } || event.status != i;
		ev.pop();
	}
	EXPECT_EQ(wrong, 0u);
}

/**
 * A module that goes to sleep as soon as it finds the ring empty, and is woken by
 * doorbells alone: one lost, and it sleeps for ever.
 */
class SleepyModule {
public:
	explicit SleepyModule(SqMemory &memory) : memory_(memory) {}

	/** Take entries until so many were taken. */
	void run(std::uint32_t count)
	{
		std::uint32_t head = load_relaxed(memory_.status.head);

		while (taken_.load() < count) {
			const std::uint32_t tail = load_acquire(memory_.ring()->tail);
			if (tail != head) {
				taken_ += tail - head;
				head = tail;
				store_release(memory_.status.head, head);
				continue;
			}
			set_need_wakeup(KDAPL_SQ_NEED_WAKEUP);
			full_barrier();
			if (load_acquire(memory_.ring()->tail) == head)
				sleep();
			set_need_wakeup(0);
		}
	}
	void doorbell()
	{
		doorbells_++;
		doorbells_.notify_one();
	}
	std::uint32_t doorbells() const { return doorbells_; }
	std::uint32_t taken() const { return taken_; }

private:
	void set_need_wakeup(std::uint32_t flags)
	{
		__atomic_store_n(&memory_.status.flags, flags, __ATOMIC_RELAXED);
	}
	void sleep()
	{
		doorbells_.wait(heard_);
		heard_ = doorbells_;
	}

	SqMemory &memory_;
	std::atomic<std::uint32_t> taken_ = 0;
	std::atomic<std::uint32_t> doorbells_ = 0;
	std::uint32_t heard_ = 0;
};

// The program posts one by one and waits for each, so that the module is always
// about to fall asleep when the next one comes.
TEST(SqRing, NoWakeUpIsLost)
{
	constexpr std::uint32_t count = 500000;
	SqMemory memory(64, near_wrap);
	memory.status.flags = KDAPL_SQ_NEED_WAKEUP;
	Sq sq;
	ASSERT_TRUE(memory.attach(sq));
	SleepyModule module(memory);

	std::jthread thread([&] { module.run(count); });
	for (std::uint32_t i = 0; i < count; i++) {
		while (sq.full())
			std::this_thread::yield();
		sq.push();
		full_barrier();
		if (sq.needs_wakeup())
			module.doorbell();
		if (i % 8 == 0) {
			while (module.taken() <= i)
				std::this_thread::yield();
		}
	}
	thread.join();
	EXPECT_EQ(module.taken(), count);
	EXPECT_GT(module.doorbells(), 0u);
}

TEST(RecvDoorbell, Table)
{
	struct Row {
		RecvDoorbell in;
		bool rings;
	};
	const Row rows[] = {
		{ { false, 0, 1 }, true }, /* the device has none */
		{ { false, 15, 16 }, true }, /* fewer than the low mark */
		{ { false, 16, 17 }, false }, /* just enough */
		{ { false, 16, 32 }, false }, /* as many wait as may */
		{ { false, 16, 33 }, true }, /* one more waits */
		{ { false, 495, 512 }, true },
		{ { false, 496, 512 }, false },
		{ { false, 511, 512 }, false },
		{ { true, 511, 512 }, true }, /* the transport has no RNR */
		{ { true, 0, 1 }, true },
	};

	for (const Row &row : rows)
		EXPECT_EQ(recv_needs_doorbell(row.in), row.rings)
			<< row.in.always << " " << row.in.in_device << " " << row.in.outstanding;
}

} // namespace
