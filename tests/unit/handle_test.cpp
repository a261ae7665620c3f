// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Handles: what is live is found, and nothing else is, without a look at memory
// that is not the table's.

#include "engine/object.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <sys/mman.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using kdapl::Draft;
using kdapl::Handle;
using kdapl::HandleTable;
using kdapl::Kind;
using kdapl::Object;
using kdapl::Ref;
using kdapl::Slot;

int alive;

template <Kind the_kind>
class Thing final : public Object {
public:
	static constexpr Kind kind = the_kind;

	explicit Thing(Slot *slot) : Object(slot, kind), slot(slot)
	{
		__atomic_add_fetch(&alive, 1, __ATOMIC_SEQ_CST);
	}
	~Thing() override { __atomic_sub_fetch(&alive, 1, __ATOMIC_SEQ_CST); }

	Slot *slot;
};
using Pz = Thing<Kind::pz>;
using Ep = Thing<Kind::ep>;

int table_of_entry_points;

template <class T>
Ref<T> make()
{
	Draft<T> draft(&table_of_entry_points);

	return draft.publish();
}

void free(const Ref<Pz> &pz)
{
	EXPECT_TRUE(HandleTable::instance().retire(pz->slot));
}

TEST(Handle, LiveOneIsFoundByItsKind)
{
	const auto pz = make<Pz>();
	const Handle handle = pz->handle();

	EXPECT_EQ(kdapl::pin<Pz>(handle).get(), pz.get());
	EXPECT_EQ(kdapl::pin_any(handle).get(), pz.get());
	EXPECT_FALSE(kdapl::pin<Ep>(handle));
	free(pz);
}

TEST(Handle, FirstWordIsTheProvider)
{
	const auto pz = make<Pz>();

	EXPECT_EQ(*static_cast<const void *const *>(pz->handle()), &table_of_entry_points);
	free(pz);
}

TEST(Handle, FreedOneIsNotFoundButStaysReadable)
{
	Handle handle;
	{
		const auto pz = make<Pz>();
		handle = pz->handle();
		free(pz);
		EXPECT_FALSE(HandleTable::instance().retire(pz->slot)) << "freed twice";
	}
	EXPECT_FALSE(kdapl::pin<Pz>(handle));
	EXPECT_FALSE(kdapl::pin_any(handle));
	EXPECT_EQ(*static_cast<const void *const *>(handle), &table_of_entry_points);
}

TEST(Handle, ObjectLivesUntilItsLastUser)
{
	const int before = alive;
	auto pz = make<Pz>();
	auto second = kdapl::pin<Pz>(pz->handle());

	free(pz);
	pz = {};
	EXPECT_EQ(alive, before + 1);
	second = {};
	EXPECT_EQ(alive, before);
}

TEST(Handle, DraftThatIsNotPublishedGoes)
{
	const int before = alive;
	Handle handle;
	{
		Draft<Pz> draft(&table_of_entry_points);
		handle = draft->handle();
		EXPECT_FALSE(kdapl::pin<Pz>(handle));
		EXPECT_EQ(alive, before + 1);
	}
	EXPECT_EQ(alive, before);
	EXPECT_FALSE(kdapl::pin<Pz>(handle));
}

TEST(Handle, NullAndSmallNumbersAreNone)
{
	for (std::uintptr_t value = 0; value < 4096; value++)
		EXPECT_FALSE(kdapl::pin_any(reinterpret_cast<Handle>(value)));
	EXPECT_FALSE(kdapl::pin_any(reinterpret_cast<Handle>(~std::uintptr_t{ 0 })));
}

TEST(Handle, ForeignMemoryIsNotRead)
{
	void *nobodys = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(nobodys, MAP_FAILED);
	int local = 0;

	EXPECT_FALSE(kdapl::pin_any(nobodys));
	EXPECT_FALSE(kdapl::pin_any(&local));
	EXPECT_FALSE(kdapl::pin_any(reinterpret_cast<Handle>(&make<Pz>)));
	munmap(nobodys, 4096);
}

// Every address around a live handle, and far behind it where the table's
// reservation is not readable.
TEST(Handle, OnlyTheExactAddressIsValid)
{
	const auto pz = make<Pz>();
	const auto exact = reinterpret_cast<std::uintptr_t>(pz->handle());
	const auto slot = reinterpret_cast<std::uintptr_t>(pz->slot);

	for (std::uintptr_t address = slot; address < slot + sizeof(Slot); address++) {
		const bool found = bool(kdapl::pin_any(reinterpret_cast<Handle>(address)));
		EXPECT_EQ(found, address == exact) << address - slot;
	}
	std::mt19937_64 random(1);
	for (int i = 0; i < 100000; i++) {
		const std::uintptr_t address = slot + random() % (std::size_t{ 1 } << 30);
		if (address == exact)
			continue;
		const auto other = kdapl::pin_any(reinterpret_cast<Handle>(address));
		EXPECT_FALSE(other && other.get() == pz.get());
	}
	free(pz);
}

// A slot comes back late, and then under another address: a stale handle and a
// stale event word do not meet the new object.
TEST(Handle, StaleOnesStayStaleWhenSlotsAreUsedAgain)
{
	std::vector<Handle> stale;
	std::vector<std::uint64_t> words;

	for (int i = 0; i < 40000; i++) {
		const auto pz = make<Pz>();
		stale.push_back(pz->handle());
		words.push_back(pz->word());
		free(pz);
	}
	std::vector<Ref<Pz>> fresh;
	for (int i = 0; i < 20000; i++)
		fresh.push_back(make<Pz>());
	for (const Handle handle : stale)
		ASSERT_FALSE(kdapl::pin_any(handle));
	for (const std::uint64_t word : words)
		ASSERT_FALSE(kdapl::pin_word<Pz>(word));
	std::set<Handle> live;
	for (const auto &pz : fresh)
		live.insert(pz->handle());
	EXPECT_EQ(live.size(), fresh.size());
	for (const std::uint64_t word : words) {
		const Handle handle = HandleTable::instance().handle_of_word(word);
		ASSERT_FALSE(live.count(handle)) << "a stale word names a new object";
	}
	for (const auto &pz : fresh)
		free(pz);
}

TEST(Handle, WordFindsTheObjectAndSurvivesItAsAHandleOnly)
{
	auto pz = make<Pz>();
	const std::uint64_t word = pz->word();
	const Handle handle = pz->handle();

	EXPECT_NE(word, 0u);
	EXPECT_EQ(kdapl::pin_word<Pz>(word).get(), pz.get());
	EXPECT_FALSE(kdapl::pin_word<Ep>(word));
	EXPECT_EQ(HandleTable::instance().handle_of_word(word), handle);
	free(pz);
	pz = {};
	EXPECT_FALSE(kdapl::pin_word<Pz>(word));
	EXPECT_EQ(HandleTable::instance().handle_of_word(word), handle);
	EXPECT_EQ(HandleTable::instance().handle_of_word(~std::uint64_t{ 0 }), nullptr);
	EXPECT_EQ(HandleTable::instance().handle_of_word(0), nullptr);
}

TEST(Handle, ManyThreadsMakePinAndFree)
{
	const int before = alive;
	constexpr int threads = 4, rounds = 20000;
	std::atomic<Handle> shared = nullptr;

	const auto work = [&] {
		for (int i = 0; i < rounds; i++) {
			const auto pz = make<Pz>();
			shared.store(pz->handle());
			if (const auto other = kdapl::pin<Pz>(shared.load()))
				other->set_context(other->context() + 1);
			EXPECT_EQ(kdapl::pin<Pz>(pz->handle()).get(), pz.get());
			free(pz);
		}
	};
	std::vector<std::jthread> running;
	for (int i = 0; i < threads; i++)
		running.emplace_back(work);
	running.clear();
	EXPECT_EQ(alive, before);
}

/** In a process that may not have much more than it has. */
void make_some_with_little_room()
{
	constexpr rlim_t little = 48 << 20;
	std::vector<Ref<Pz>> made;
	unsigned long pages = 0;

	std::ifstream("/proc/self/statm") >> pages;
	const rlim_t room = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + little;
	const rlimit limit = { room, room };
	if (!pages || setrlimit(RLIMIT_AS, &limit))
		std::_Exit(1);
	/* The whole table does not fit. */
	if (mmap(nullptr, std::size_t{ 128 } << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		 0) != MAP_FAILED)
		std::_Exit(2);
	for (int i = 0; i < 8192; i++)
		made.push_back(make<Pz>());
	for (const Ref<Pz> &pz : made) {
		if (kdapl::pin<Pz>(pz->handle()).get() != pz.get())
			std::_Exit(3);
	}
	std::_Exit(0);
}

TEST(Handle, TheirTableFitsTheAddressSpace)
{
	GTEST_FLAG_SET(death_test_style, "threadsafe");
	EXPECT_EXIT(make_some_with_little_room(), testing::ExitedWithCode(0), "");
}

} // namespace
