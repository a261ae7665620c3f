// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* CNOs and agents for test programs. */
#pragma once

#include "adapter.hpp"
#include "sleeper.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace suite {

/** An agent that counts its calls. */
class CountingAgent {
public:
	DAT_OS_WAIT_PROXY_AGENT agent() noexcept { return { this, called }; }
	unsigned calls() const noexcept { return calls_; }
	DAT_EVD_HANDLE evd() const noexcept { return evd_; }

	/** Waits until it was called so often. */
	void await(unsigned calls, Location where = Location::current()) const
	{
		const auto deadline = std::chrono::steady_clock::now() + patience();

		while (calls_ < calls) {
			require(std::chrono::steady_clock::now() < deadline,
				"the agent is not called", where);
			std::this_thread::yield();
		}
		require(calls_ == calls, "the agent is called too often", where);
	}

private:
	static void called(DAT_PVOID instance, DAT_EVD_HANDLE evd)
	{
		auto *self = static_cast<CountingAgent *>(instance);

		self->evd_ = evd;
		self->calls_++;
	}

	std::atomic<unsigned> calls_ = 0;
	std::atomic<DAT_EVD_HANDLE> evd_ = DAT_HANDLE_NULL;
};

/** A CNO that fails the test when it is in the way of its adapter's end. */
class Cno {
public:
	explicit Cno(const Adapter &adapter,
		     DAT_OS_WAIT_PROXY_AGENT agent = DAT_OS_WAIT_PROXY_AGENT_NULL)
	{
		ok(dat_cno_create(adapter.ia(), agent, &cno_));
	}
	Cno(const Cno &) = delete;
	Cno &operator=(const Cno &) = delete;
	~Cno() { dat_cno_free(cno_); }

	DAT_CNO_HANDLE handle() const noexcept { return cno_; }

	/** Waits until it is triggered. */
	DAT_EVD_HANDLE wait(Location where = Location::current())
	{
		DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;

		ok(dat_cno_wait(cno_, long_time, &evd), where);
		return evd;
	}
	void require_untriggered(Location where = Location::current())
	{
		DAT_EVD_HANDLE evd = cno_;

		fails(DAT_QUEUE_EMPTY, dat_cno_wait(cno_, 0, &evd), where);
		require(evd == DAT_HANDLE_NULL, "a hint without a trigger", where);
	}

private:
	DAT_CNO_HANDLE cno_ = DAT_HANDLE_NULL;
};

} // namespace suite
