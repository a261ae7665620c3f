// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// When a program counts as one that spins, and when it does not any more.

#include "engine/spin.hpp"

#include <gtest/gtest.h>

namespace {

using kdapl::Spin;

constexpr std::uint32_t recv_evd = 7, request_evd = 8, other_evd = 9;

std::uint64_t now;

unsigned clock_reads;

std::uint64_t clock_of_test() noexcept
{
	clock_reads++;
	return now;
}

/** A program, as its doorbells and looks are seen. */
class SpinTest : public testing::Test {
protected:
	void SetUp() override { now = 1000; }

	/** A doorbell; which EVD is polled for it. */
	std::uint32_t ring()
	{
		const std::uint32_t evd = spin.rings(recv_evd, request_evd, clock_of_test);

		if (!evd)
			spin.rang(now);
		return evd;
	}
	/** Looks into an EVD until its event is there. */
	void look_for(std::uint32_t evd, std::uint64_t time)
	{
		for (std::uint64_t i = 0; i < time; i++, now++)
			spin.looked(clock_of_test);
		spin.found(evd, clock_of_test);
	}
	void work(std::uint64_t time) { now += time; }

	Spin spin;
};

TEST_F(SpinTest, WhoLooksAllTheTimeIsPolledFor)
{
	EXPECT_EQ(ring(), 0u);
	look_for(recv_evd, 100);
	work(10);
	for (std::uint32_t i = 0; i <= Spin::believed; i++) {
		const unsigned before = clock_reads;
		ASSERT_EQ(ring(), recv_evd) << i;
		/* Only to find out: what is believed costs no look at the clock. */
		ASSERT_EQ(clock_reads, before + (i == 0)) << i;
		spin.polled(true);
		work(10);
	}
	/* Then it has to be found out again. */
	EXPECT_EQ(ring(), 0u);
	look_for(recv_evd, 100);
	EXPECT_EQ(ring(), recv_evd);
}

TEST_F(SpinTest, WhoWorksMeanwhileIsNot)
{
	ring();
	work(100);
	look_for(recv_evd, 90);
	EXPECT_EQ(ring(), 0u);
	/* Nor who finds the event at the first look. */
	work(100);
	spin.found(recv_evd, clock_of_test);
	EXPECT_EQ(ring(), 0u);
	/* Nor who never looks, because it sleeps. */
	work(100);
	EXPECT_EQ(ring(), 0u);
}

TEST_F(SpinTest, TheLongestWaitCounts)
{
	ring();
	look_for(request_evd, 10);
	look_for(recv_evd, 100);
	look_for(request_evd, 5);
	EXPECT_EQ(ring(), recv_evd);
}

TEST_F(SpinTest, AnotherEndpointsEvdIsNotPolled)
{
	ring();
	look_for(other_evd, 100);
	EXPECT_EQ(ring(), 0u);
}

TEST_F(SpinTest, PollingInVainIsGivenUpForLongerAndLonger)
{
	for (std::uint32_t distrust = Spin::least_distrust; distrust <= 4 * Spin::least_distrust;
	     distrust *= 2) {
		ring();
		look_for(recv_evd, 100);
		ASSERT_EQ(ring(), recv_evd);
		spin.polled(false);
		for (std::uint32_t i = 0; i < distrust; i++) {
			ASSERT_EQ(ring(), 0u) << i << " of " << distrust;
			look_for(recv_evd, 100);
		}
	}
	/* One success makes up for it. */
	ASSERT_EQ(ring(), recv_evd);
	spin.polled(true);
	ASSERT_EQ(ring(), recv_evd);
	spin.polled(false);
	for (std::uint32_t i = 0; i < Spin::least_distrust; i++) {
		ASSERT_EQ(ring(), 0u);
		look_for(recv_evd, 100);
	}
	EXPECT_EQ(ring(), recv_evd);
}

TEST(SpinClock, Advances)
{
	const std::uint64_t before = kdapl::spin_clock();
	std::uint64_t after = before;

	for (unsigned i = 0; i < 1'000'000 && after == before; i++)
		after = kdapl::spin_clock();
	EXPECT_GT(after, before);
}

} // namespace
