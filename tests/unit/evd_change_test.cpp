// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// EVDs that grow, that cannot be waited on, that carry the program's own events.

#include "fake/session.hpp"

#include <cerrno>
#include <thread>
#include <vector>

namespace {

using fake::is_error;

class EvdChange : public fake::Session {
protected:
	void SetUp() override
	{
		ASSERT_NO_FATAL_FAILURE(Session::SetUp());
		evd = make_evd(DAT_EVD_SOFTWARE_FLAG | DAT_EVD_DTO_FLAG, 8);
		evd_id = module.last_id();
	}
	DAT_RETURN post_se(std::uintptr_t number)
	{
		DAT_EVENT event{};

		event.event_number = DAT_SOFTWARE_EVENT;
		event.event_data.software_event_data.pointer = reinterpret_cast<DAT_PVOID>(number);
		return dat_evd_post_se(evd, &event);
	}
	void expect_next(std::uintptr_t number)
	{
		DAT_EVENT event;

		ASSERT_EQ(dat_evd_dequeue(evd, &event), DAT_SUCCESS);
		EXPECT_EQ(event.event_number, DAT_SOFTWARE_EVENT);
		EXPECT_EQ(event.evd_handle, evd);
		EXPECT_EQ(event.event_data.software_event_data.pointer,
			  reinterpret_cast<DAT_PVOID>(number));
	}
	DAT_COUNT qlen()
	{
		DAT_EVD_PARAM param{};

		EXPECT_EQ(dat_evd_query(evd, DAT_EVD_FIELD_ALL, &param), DAT_SUCCESS);
		return param.evd_qlen;
	}

	DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
	std::uint32_t evd_id = 0;
};

TEST_F(EvdChange, SoftwareEventsInOrderUntilItIsFull)
{
	for (std::uintptr_t i = 1; i <= 8; i++)
		ASSERT_EQ(post_se(i), DAT_SUCCESS);
	EXPECT_TRUE(is_error(post_se(9), DAT_QUEUE_FULL));
	for (std::uintptr_t i = 1; i <= 8; i++)
		expect_next(i);
	EXPECT_EQ(post_se(10), DAT_SUCCESS);
	expect_next(10);
}

TEST_F(EvdChange, SoftwareEventsAreChecked)
{
	DAT_EVENT event{};

	EXPECT_TRUE(
		is_error(dat_evd_post_se(evd, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	event.event_number = DAT_DTO_COMPLETION_EVENT;
	EXPECT_TRUE(
		is_error(dat_evd_post_se(evd, &event), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	event.event_number = DAT_SOFTWARE_EVENT;
	EXPECT_TRUE(is_error(dat_evd_post_se(dto_evd, &event), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG1));
	EXPECT_TRUE(is_error(dat_evd_post_se(ep, &event), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1));
	EXPECT_EQ(module.calls(KDAPL_EVD_POST_SE), 0u);
}

TEST_F(EvdChange, GrowingKeepsEventsAndOrder)
{
	for (std::uintptr_t i = 0; i < 3; i++) {
		ASSERT_EQ(post_se(i), DAT_SUCCESS);
		expect_next(i);
	}
	for (std::uintptr_t i = 0; i < 8; i++)
		ASSERT_EQ(post_se(i), DAT_SUCCESS);
	/* One more waits for room. */
	module.post_dto(evd_id, ep_id, 77);
	ASSERT_EQ(dat_evd_resize(evd, 20), DAT_SUCCESS);
	EXPECT_EQ(qlen(), 32);
	for (std::uintptr_t i = 0; i < 8; i++)
		expect_next(i);
	DAT_EVENT event;
	ASSERT_EQ(dat_evd_dequeue(evd, &event), DAT_SUCCESS);
	EXPECT_EQ(event.event_data.dto_completion_event_data.user_cookie.as_64, 77u);
	EXPECT_TRUE(is_error(dat_evd_dequeue(evd, &event), DAT_QUEUE_EMPTY));
	for (std::uintptr_t i = 0; i < 32; i++)
		ASSERT_EQ(post_se(i), DAT_SUCCESS);
	EXPECT_TRUE(is_error(post_se(32), DAT_QUEUE_FULL));
}

TEST_F(EvdChange, ShrinkingIsRefusedBelowWhatIsQueued)
{
	for (std::uintptr_t i = 0; i < 4; i++)
		ASSERT_EQ(post_se(i), DAT_SUCCESS);
	EXPECT_TRUE(is_error(dat_evd_resize(evd, 3), DAT_INVALID_STATE));
	EXPECT_EQ(dat_evd_resize(evd, 4), DAT_SUCCESS);
	for (std::uintptr_t i = 0; i < 4; i++)
		expect_next(i);
}

TEST_F(EvdChange, ResizeChecksItsArguments)
{
	EXPECT_TRUE(is_error(dat_evd_resize(ep, 8), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1));
	for (DAT_COUNT bad : { 0, -1, -2147483647 - 1 })
		EXPECT_TRUE(is_error(dat_evd_resize(evd, bad), DAT_INVALID_PARAMETER,
				     DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(dat_evd_resize(evd, 65537), DAT_INSUFFICIENT_RESOURCES,
			     DAT_RESOURCE_TEVD));
	module.fail_next(KDAPL_EVD_RESIZE, ENOMEM);
	EXPECT_TRUE(
		is_error(dat_evd_resize(evd, 64), DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_MEMORY));
	EXPECT_EQ(qlen(), 8);
}

/* Who takes events meanwhile gets each of them once, and in order. */
TEST_F(EvdChange, GrowingUnderTraffic)
{
	constexpr std::uintptr_t count = 3000;
	std::jthread poster([&] {
		for (std::uintptr_t i = 0; i < count;) {
			if (post_se(i) == DAT_SUCCESS)
				i++;
			else
				std::this_thread::yield();
		}
	});
	std::jthread grower([&] {
		for (DAT_COUNT length = 16; length <= 4096; length *= 2) {
			EXPECT_EQ(dat_evd_resize(evd, length), DAT_SUCCESS);
			std::this_thread::yield();
		}
	});

	for (std::uintptr_t i = 0; i < count;) {
		DAT_EVENT event;
		if (dat_evd_dequeue(evd, &event) != DAT_SUCCESS)
			continue;
		ASSERT_EQ(event.event_data.software_event_data.pointer,
			  reinterpret_cast<DAT_PVOID>(i));
		i++;
	}
}

TEST_F(EvdChange, Unwaitable)
{
	DAT_EVD_PARAM param{};
	DAT_EVENT event;
	DAT_COUNT more;

	ASSERT_EQ(dat_evd_set_unwaitable(evd), DAT_SUCCESS);
	ASSERT_EQ(dat_evd_query(evd, DAT_EVD_FIELD_EVD_STATE, &param), DAT_SUCCESS);
	EXPECT_EQ(param.evd_state & (DAT_EVD_STATE_WAITABLE | DAT_EVD_STATE_UNWAITABLE),
		  DAT_EVD_STATE_UNWAITABLE);
	ASSERT_EQ(post_se(1), DAT_SUCCESS);
	EXPECT_TRUE(is_error(dat_evd_wait(evd, 0, 1, &event, &more), DAT_INVALID_STATE,
			     DAT_INVALID_STATE_EVD_UNWAITABLE));
	/* Events come, and can be taken. */
	expect_next(1);
	ASSERT_EQ(dat_evd_clear_unwaitable(evd), DAT_SUCCESS);
	ASSERT_EQ(dat_evd_query(evd, DAT_EVD_FIELD_EVD_STATE, &param), DAT_SUCCESS);
	EXPECT_EQ(param.evd_state & (DAT_EVD_STATE_WAITABLE | DAT_EVD_STATE_UNWAITABLE),
		  DAT_EVD_STATE_WAITABLE);
	ASSERT_EQ(post_se(2), DAT_SUCCESS);
	EXPECT_EQ(dat_evd_wait(evd, 0, 1, &event, &more), DAT_SUCCESS);
	EXPECT_TRUE(is_error(dat_evd_set_unwaitable(ep), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1));
	EXPECT_TRUE(
		is_error(dat_evd_clear_unwaitable(pz), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1));
}

TEST_F(EvdChange, UnwaitableSendsTheWaiterAway)
{
	DAT_EVENT event;
	DAT_COUNT more;
	std::jthread other([&] {
		module.wait_for_waiter(evd_id);
		EXPECT_EQ(dat_evd_set_unwaitable(evd), DAT_SUCCESS);
	});

	EXPECT_TRUE(is_error(dat_evd_wait(evd, DAT_TIMEOUT_INFINITE, 1, &event, &more),
			     DAT_INVALID_STATE, DAT_INVALID_STATE_EVD_UNWAITABLE));
}

} // namespace
