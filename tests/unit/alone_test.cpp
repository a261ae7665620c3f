// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A program of one thread, and what becomes of it when it starts another.
//
// Each test is a process of its own, since whoever has had a thread is never sure to be
// alone again.

#include "engine/alone.hpp"
#include "engine/object.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

using kdapl::alone;
using kdapl::Draft;
using kdapl::HandleTable;
using kdapl::Kind;
using kdapl::Mutex;
using kdapl::Object;
using kdapl::Ref;
using kdapl::Slot;
using kdapl::SlotState;

/** In the process of a test: what is not so ends it. */
void require(bool holds, const char *what)
{
	if (holds)
		return;
	std::fprintf(stderr, "not so: %s\n", what);
	std::_Exit(1);
}

/** From now on the process is not alone. */
class Company {
public:
	Company() : thread_([this] { stop_.wait(false); }) {}
	~Company()
	{
		stop_ = true;
		stop_.notify_one();
	}

private:
	std::atomic<bool> stop_ = false;
	std::jthread thread_;
};

/** Four threads that add under the mutex: none is lost if it excludes. */
void require_exclusion(Mutex &mutex)
{
	constexpr int each = 100000;
	volatile int sum = 0;
	{
		std::vector<std::jthread> threads;
		for (int i = 0; i < 4; i++) {
			threads.emplace_back([&] {
				for (int n = 0; n < each; n++) {
					std::lock_guard lock(mutex);
					sum = sum + 1;
				}
			});
		}
	}
	require(sum == 4 * each, "the mutex excludes");
}

struct Thing final : Object {
	static constexpr Kind kind = Kind::pz;
	static inline int alive;

	explicit Thing(Slot *slot) : Object(slot, kind), slot(slot) { alive++; }
	~Thing() override { alive--; }

	Slot *slot;
};

int table_of_entry_points;

Ref<Thing> make()
{
	Draft<Thing> draft(&table_of_entry_points);

	return draft.publish();
}

std::uint64_t users(const Thing &thing)
{
	return SlotState{ thing.slot->state.load() }.users();
}

/** The object's handle is one user, the caller's reference another. */
void require_life(const Ref<Thing> &thing)
{
	const kdapl::Handle handle = HandleTable::instance().handle(thing->slot);

	require(users(*thing) == 2, "the table and the caller");
	{
		const auto pinned = kdapl::pin<Thing>(handle);
		require(pinned.get() == thing.get(), "it is found");
		require(users(*thing) == 3, "one user more");
	}
	require(users(*thing) == 2, "one user less");
	require(!HandleTable::instance().pin(handle, Kind::ep), "it is of its kind");
}

[[noreturn]] void mutex_of_one_thread()
{
	Mutex mutex;

	require(alone(), "the process has one thread");
	for (int i = 0; i < 3; i++)
		std::lock_guard lock(mutex);
	require_exclusion(mutex);
	std::_Exit(0);
}

[[noreturn]] void mutex_locked_when_alone()
{
	Mutex mutex;
	std::unique_lock lock(mutex);

	require(alone(), "the process has one thread");
	const Company company;
	require(!alone(), "the process has two threads");
	lock.unlock();
	require_exclusion(mutex);
	std::_Exit(0);
}

[[noreturn]] void handles_of_one_thread()
{
	require(alone(), "the process has one thread");
	auto thing = make();
	require_life(thing);
	require(HandleTable::instance().retire(thing->slot), "it is freed");
	require(!kdapl::pin<Thing>(HandleTable::instance().handle(thing->slot)), "it is gone");
	require(Thing::alive == 1, "it has a user");
	thing = {};
	require(Thing::alive == 0, "it had no other user");
	std::_Exit(0);
}

[[noreturn]] void handles_pinned_when_alone()
{
	require(alone(), "the process has one thread");
	auto thing = make();
	auto again = kdapl::pin<Thing>(HandleTable::instance().handle(thing->slot));
	const Company company;
	require(!alone(), "the process has two threads");
	require(users(*thing) == 3, "what was counted alone counts");
	again = {};
	require_life(thing);
	require(HandleTable::instance().retire(thing->slot), "it is freed");
	thing = {};
	require(Thing::alive == 0, "it had no other user");
	std::_Exit(0);
}

/** In a process that is started anew, by itself. */
class AloneDeathTest : public testing::Test {
protected:
	void SetUp() override
	{
#ifdef __SANITIZE_THREAD__
		GTEST_SKIP() << "the sanitizer has a thread of its own";
#endif
		GTEST_FLAG_SET(death_test_style, "threadsafe");
	}
};

TEST_F(AloneDeathTest, MutexOfOneThread)
{
	EXPECT_EXIT(mutex_of_one_thread(), testing::ExitedWithCode(0), "");
}

TEST_F(AloneDeathTest, MutexIsUnlockedAsItWasLocked)
{
	EXPECT_EXIT(mutex_locked_when_alone(), testing::ExitedWithCode(0), "");
}

TEST_F(AloneDeathTest, HandlesOfOneThread)
{
	EXPECT_EXIT(handles_of_one_thread(), testing::ExitedWithCode(0), "");
}

TEST_F(AloneDeathTest, HandlesArePinnedAndUnpinnedAcrossTheFirstThread)
{
	EXPECT_EXIT(handles_pinned_when_alone(), testing::ExitedWithCode(0), "");
}

} // namespace
