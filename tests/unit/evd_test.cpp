// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// EVDs: taking events, waiting for them, and what becomes of each kind.

#include "fake/session.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace {

using fake::is_error;
using namespace std::chrono_literals;

class Evd : public fake::Session {
protected:
	DAT_RETURN wait(DAT_TIMEOUT timeout, DAT_COUNT threshold)
	{
		return dat_evd_wait(dto_evd, timeout, threshold, &event, &more);
	}
	void post(std::uint64_t number) { module.post_dto(dto_evd_id, ep_id, number, 10 * number); }
	DAT_UINT64 event_cookie() const
	{
		return event.event_data.dto_completion_event_data.user_cookie.as_64;
	}

	DAT_EVENT event{};
	DAT_COUNT more = -1;
};

TEST_F(Evd, EmptyCostsNoCall)
{
	EXPECT_TRUE(is_error(dat_evd_dequeue(dto_evd, &event), DAT_QUEUE_EMPTY));
	EXPECT_TRUE(is_error(wait(0, 1), DAT_TIMEOUT_EXPIRED));
	EXPECT_EQ(more, 0);
	EXPECT_EQ(module.calls(KDAPL_EVD_WAIT), 0u);
	EXPECT_EQ(module.calls(KDAPL_EVD_FILL), 0u);
}

TEST_F(Evd, ACompletionIsTranslated)
{
	module.post_dto(dto_evd_id, ep_id, 0xfedcba9876543210, 4711, DAT_DTO_ERR_REMOTE_ACCESS);

	ASSERT_EQ(dat_evd_dequeue(dto_evd, &event), DAT_SUCCESS);
	EXPECT_EQ(event.event_number, DAT_DTO_COMPLETION_EVENT);
	EXPECT_EQ(event.evd_handle, dto_evd);
	const auto &dto = event.event_data.dto_completion_event_data;
	EXPECT_EQ(dto.ep_handle, ep);
	EXPECT_EQ(dto.user_cookie.as_64, 0xfedcba9876543210u);
	EXPECT_EQ(dto.status, DAT_DTO_ERR_REMOTE_ACCESS);
	EXPECT_EQ(dto.transfered_length, 4711u);
	EXPECT_TRUE(is_error(dat_evd_dequeue(dto_evd, &event), DAT_QUEUE_EMPTY));
}

TEST_F(Evd, OrderSurvivesTheRingAndItsBacklog)
{
	for (std::uint64_t i = 0; i < 30; i++)
		post(i);
	for (std::uint64_t i = 0; i < 30; i++) {
		ASSERT_EQ(dat_evd_dequeue(dto_evd, &event), DAT_SUCCESS) << i;
		EXPECT_EQ(event_cookie(), i);
	}
	EXPECT_TRUE(is_error(dat_evd_dequeue(dto_evd, &event), DAT_QUEUE_EMPTY));
	EXPECT_EQ(module.calls(KDAPL_EVD_FILL), 3u) << "once for each ringful that waited";
}

TEST_F(Evd, CompletionsOfAFreedEpNameNoOther)
{
	post(1);
	post(2);
	const DAT_EP_HANDLE old = ep;
	ASSERT_EQ(dat_ep_free(ep), DAT_SUCCESS);
	DAT_EP_HANDLE fresh;
	ASSERT_EQ(dat_ep_create(ia, pz, dto_evd, dto_evd, conn_evd, nullptr, &fresh), DAT_SUCCESS);

	ASSERT_EQ(dat_evd_dequeue(dto_evd, &event), DAT_SUCCESS);
	EXPECT_EQ(event.event_data.dto_completion_event_data.ep_handle, old);
	EXPECT_NE(event.event_data.dto_completion_event_data.ep_handle, fresh);
	DAT_EP_STATE state;
	EXPECT_TRUE(is_error(dat_ep_get_status(old, &state, nullptr, nullptr), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_EP));
}

TEST_F(Evd, WaitReturnsAtOnceWhenEnoughIsThere)
{
	post(1);
	post(2);
	post(3);
	ASSERT_EQ(wait(DAT_TIMEOUT_INFINITE, 2), DAT_SUCCESS);
	EXPECT_EQ(event_cookie(), 1u);
	EXPECT_EQ(more, 2);
	EXPECT_EQ(module.calls(KDAPL_EVD_WAIT), 0u);
}

TEST_F(Evd, WaitSleepsOnceUntilTheThreshold)
{
	std::jthread poster([&] {
		module.wait_for_waiter(dto_evd_id);
		for (std::uint64_t i = 1; i <= 3; i++)
			post(i);
	});
	ASSERT_EQ(wait(DAT_TIMEOUT_INFINITE, 3), DAT_SUCCESS);
	EXPECT_EQ(event_cookie(), 1u);
	EXPECT_EQ(more, 2);
	EXPECT_EQ(module.calls(KDAPL_EVD_WAIT), 1u);
}

TEST_F(Evd, TimeoutTellsWhatIsThere)
{
	post(1);
	const auto start = std::chrono::steady_clock::now();
	EXPECT_TRUE(is_error(wait(20000, 2), DAT_TIMEOUT_EXPIRED));
	EXPECT_GE(std::chrono::steady_clock::now() - start, 20ms);
	EXPECT_EQ(more, 1);
	ASSERT_EQ(dat_evd_dequeue(dto_evd, &event), DAT_SUCCESS);
	EXPECT_EQ(event_cookie(), 1u);
}

TEST_F(Evd, BacklogCountsForTheThreshold)
{
	const DAT_EVD_HANDLE small = make_evd(DAT_EVD_DTO_FLAG, 4);
	const std::uint32_t id = module.last_id();
	for (std::uint64_t i = 0; i < 6; i++)
		module.post_dto(id, ep_id, i);
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(dat_evd_dequeue(small, &event), DAT_SUCCESS);

	ASSERT_EQ(dat_evd_wait(small, 0, 3, &event, &more), DAT_SUCCESS);
	EXPECT_EQ(event_cookie(), 3u);
	EXPECT_EQ(more, 2);
}

TEST_F(Evd, InterruptedBySignal)
{
	post(1);
	std::jthread signal([&] {
		module.wait_for_waiter(dto_evd_id);
		module.interrupt(dto_evd_id);
	});
	EXPECT_TRUE(is_error(wait(DAT_TIMEOUT_INFINITE, 2), DAT_INTERRUPTED_CALL));
	EXPECT_EQ(more, 1);
}

TEST_F(Evd, OneWaiterOwnsIt)
{
	std::jthread other([&] {
		DAT_EVENT event;
		DAT_COUNT more;
		module.wait_for_waiter(dto_evd_id);
		EXPECT_TRUE(is_error(dat_evd_wait(dto_evd, 0, 1, &event, &more), DAT_INVALID_STATE,
				     DAT_INVALID_STATE_EVD_WAITER));
		EXPECT_TRUE(is_error(dat_evd_dequeue(dto_evd, &event), DAT_INVALID_STATE,
				     DAT_INVALID_STATE_EVD_WAITER));
		post(9);
	});
	ASSERT_EQ(wait(DAT_TIMEOUT_INFINITE, 1), DAT_SUCCESS);
	EXPECT_EQ(event_cookie(), 9u);
	EXPECT_TRUE(is_error(dat_evd_dequeue(dto_evd, &event), DAT_QUEUE_EMPTY));
}

TEST_F(Evd, FreeingItAbortsTheWaiter)
{
	const DAT_EVD_HANDLE evd = make_evd(DAT_EVD_DTO_FLAG);
	const std::uint32_t id = module.last_id();
	std::jthread other([&] {
		module.wait_for_waiter(id);
		EXPECT_EQ(dat_evd_free(evd), DAT_SUCCESS);
	});
	EXPECT_TRUE(is_error(dat_evd_wait(evd, DAT_TIMEOUT_INFINITE, 1, &event, &more), DAT_ABORT));
}

TEST_F(Evd, ClosingTheAdapterAbortsTheWaiter)
{
	std::jthread other([&] {
		module.wait_for_waiter(dto_evd_id);
		EXPECT_EQ(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
	});
	EXPECT_TRUE(is_error(wait(DAT_TIMEOUT_INFINITE, 1), DAT_ABORT));
	other.join();
	ia = DAT_HANDLE_NULL;
}

TEST_F(Evd, WaitChecksItsArguments)
{
	EXPECT_TRUE(is_error(wait(0, 0), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3));
	EXPECT_TRUE(is_error(wait(0, -1), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3));
	EXPECT_TRUE(is_error(wait(0, 9), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3));
	EXPECT_TRUE(is_error(wait(0, 8), DAT_TIMEOUT_EXPIRED));
	EXPECT_TRUE(is_error(dat_evd_wait(dto_evd, 0, 1, nullptr, &more), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG4));
	EXPECT_TRUE(is_error(dat_evd_wait(dto_evd, 0, 1, &event, nullptr), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG5));
	EXPECT_TRUE(is_error(dat_evd_wait(ep, 0, 1, &event, &more), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE1));
	EXPECT_TRUE(is_error(dat_evd_dequeue(dto_evd, nullptr), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(dat_evd_dequeue(DAT_HANDLE_NULL, &event), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE1));
}

TEST_F(Evd, CreationChecksItsArguments)
{
	DAT_EVD_HANDLE evd;
	const auto create = [&](DAT_COUNT qlen, DAT_CNO_HANDLE cno, int flags) {
		return dat_evd_create(ia, qlen, cno, static_cast<DAT_EVD_FLAGS>(flags), &evd);
	};

	EXPECT_TRUE(is_error(create(0, DAT_HANDLE_NULL, 0x20), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(create(8, ep, 0x20), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CNO));
	EXPECT_TRUE(
		is_error(create(8, DAT_HANDLE_NULL, 0), DAT_INVALID_PARAMETER, DAT_INVALID_ARG4));
	EXPECT_TRUE(is_error(create(8, DAT_HANDLE_NULL, 0x220), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG4));
	EXPECT_TRUE(is_error(create(65537, DAT_HANDLE_NULL, 0x20), DAT_INSUFFICIENT_RESOURCES,
			     DAT_RESOURCE_TEVD));
	EXPECT_TRUE(is_error(dat_evd_create(ia, 8, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, nullptr),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG5));
}

TEST_F(Evd, QueryAndEnabling)
{
	const DAT_EVD_HANDLE evd = make_evd(DAT_EVD_DTO_FLAG | DAT_EVD_RMR_BIND_FLAG, 5);
	DAT_EVD_PARAM param;

	ASSERT_EQ(dat_evd_query(evd, DAT_EVD_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(param.ia_handle, ia);
	EXPECT_EQ(param.evd_qlen, 8);
	EXPECT_EQ(param.evd_flags, DAT_EVD_DTO_FLAG | DAT_EVD_RMR_BIND_FLAG);
	EXPECT_EQ(param.evd_state & DAT_EVD_STATE_ENABLED, DAT_EVD_STATE_ENABLED);
	ASSERT_EQ(dat_evd_disable(evd), DAT_SUCCESS);
	ASSERT_EQ(dat_evd_query(evd, DAT_EVD_FIELD_EVD_STATE, &param), DAT_SUCCESS);
	EXPECT_EQ(param.evd_state & (DAT_EVD_STATE_ENABLED | DAT_EVD_STATE_DISABLED),
		  DAT_EVD_STATE_DISABLED);
	ASSERT_EQ(dat_evd_enable(evd), DAT_SUCCESS);
	EXPECT_TRUE(is_error(dat_evd_query(evd, static_cast<DAT_EVD_PARAM_MASK>(0x20), &param),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(dat_evd_query(evd, DAT_EVD_FIELD_ALL, nullptr), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG3));
}

TEST_F(Evd, InUseIsRefused)
{
	module.fail_next(KDAPL_DESTROY, EBUSY);
	EXPECT_TRUE(
		is_error(dat_evd_free(dto_evd), DAT_INVALID_STATE, DAT_INVALID_STATE_EVD_IN_USE));
	post(1);
	EXPECT_EQ(dat_evd_dequeue(dto_evd, &event), DAT_SUCCESS) << "it lives on";
}

TEST_F(Evd, EstablishedBringsThePeersData)
{
	kdapl_event established{};
	established.user = module.ep(ep_id).created.user;
	established.type = DAT_CONNECTION_EVENT_ESTABLISHED;
	established.length = 5;
	module.ep(ep_id).query.private_data_size = 5;
	std::memcpy(module.ep(ep_id).query.private_data, "hello", 5);
	module.post(conn_evd_id, established);

	ASSERT_EQ(dat_evd_dequeue(conn_evd, &event), DAT_SUCCESS);
	EXPECT_EQ(event.event_number, DAT_CONNECTION_EVENT_ESTABLISHED);
	const auto &connection = event.event_data.connect_event_data;
	EXPECT_EQ(connection.ep_handle, ep);
	ASSERT_EQ(connection.private_data_size, 5);
	EXPECT_EQ(std::memcmp(connection.private_data, "hello", 5), 0);
}

TEST_F(Evd, ConnectionEventsWithoutDataAskNothing)
{
	kdapl_event end{};
	end.user = module.ep(ep_id).created.user;
	for (std::uint32_t type = DAT_CONNECTION_EVENT_PEER_REJECTED;
	     type <= DAT_CONNECTION_EVENT_UNREACHABLE; type++) {
		end.type = type;
		module.post(conn_evd_id, end);
		ASSERT_EQ(dat_evd_dequeue(conn_evd, &event), DAT_SUCCESS);
		EXPECT_EQ(event.event_number, static_cast<DAT_EVENT_NUMBER>(type));
		EXPECT_EQ(event.event_data.connect_event_data.ep_handle, ep);
		EXPECT_EQ(event.event_data.connect_event_data.private_data_size, 0);
		EXPECT_EQ(event.event_data.connect_event_data.private_data, nullptr);
	}
	EXPECT_EQ(module.calls(KDAPL_EP_QUERY), 0u);
}

TEST_F(Evd, AsyncErrorsNameTheirObjectOrTheAdapter)
{
	const std::uint32_t async_id = 1;
	kdapl_event error{};
	error.type = DAT_ASYNC_ERROR_EP_BROKEN;
	error.user = module.ep(ep_id).created.user;
	error.status = DAT_EP_OTHER_ERROR;
	module.post(async_id, error);
	error.type = DAT_ASYNC_ERROR_IA_CATASTROPHIC;
	error.user = 0;
	error.status = DAT_IA_CATASTROPHIC_ERROR;
	module.post(async_id, error);

	ASSERT_EQ(dat_evd_dequeue(async_evd, &event), DAT_SUCCESS);
	EXPECT_EQ(event.event_number, DAT_ASYNC_ERROR_EP_BROKEN);
	EXPECT_EQ(event.event_data.asynch_error_event_data.dat_handle, ep);
	EXPECT_EQ(event.event_data.asynch_error_event_data.reason, DAT_EP_OTHER_ERROR);
	ASSERT_EQ(dat_evd_dequeue(async_evd, &event), DAT_SUCCESS);
	EXPECT_EQ(event.event_number, DAT_ASYNC_ERROR_IA_CATASTROPHIC);
	EXPECT_EQ(event.event_data.asynch_error_event_data.dat_handle, ia);
}

// Many consumers, one producer: each event is delivered once.
TEST_F(Evd, ManyDequeuers)
{
	constexpr std::uint64_t count = 20000;
	std::atomic<std::uint64_t> sum = 0, taken = 0;
	std::vector<std::jthread> running;

	for (int t = 0; t < 3; t++) {
		running.emplace_back([&] {
			DAT_EVENT event;
			while (taken < count) {
				if (dat_evd_dequeue(dto_evd, &event) != DAT_SUCCESS) {
					std::this_thread::yield();
					continue;
				}
				taken++;
				sum += event.event_data.dto_completion_event_data.user_cookie.as_64;
			}
		});
	}
	for (std::uint64_t i = 1; i <= count; i++)
		post(i);
	running.clear();
	EXPECT_EQ(taken, count);
	EXPECT_EQ(sum, count * (count + 1) / 2);
}

} // namespace
