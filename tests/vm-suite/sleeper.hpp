// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Threads of which a test knows that they sleep in a call. */
#pragma once

#include "failure.hpp"
#include "settings.hpp"

#include <atomic>
#include <csignal>
#include <functional>
#include <future>
#include <sys/types.h>

namespace suite {

/** Limit of waits that something ends: long enough to tell a failure. */
constexpr DAT_TIMEOUT long_time = 20'000'000;

/** Whether a thread of this program sleeps in a call of the module. */
bool sleeps_in_module(pid_t thread);

/** A thread that makes one call. The constructor returns when it sleeps in the module. */
class Sleeper {
public:
	explicit Sleeper(std::function<DAT_RETURN()> call, Location where = Location::current());
	Sleeper(const Sleeper &) = delete;
	Sleeper &operator=(const Sleeper &) = delete;

	/** What the call gave, when it has ended. */
	DAT_RETURN result() { return result_.get(); }
	bool over() const;
	/** How often the call slept again after its first sleep; 0 if it woke once. */
	long further_sleeps() const noexcept { return sleeps_ - first_sleep_; }
	void signal(int number) const;

private:
	bool asleep() const;
	long sleeps_so_far() const;

	std::atomic<pid_t> tid_ = 0;
	std::atomic<long> sleeps_ = -1;
	long first_sleep_ = 0;
	std::future<DAT_RETURN> result_;
};

/** A thread in dat_evd_wait(). */
class EvdWait {
public:
	explicit EvdWait(DAT_EVD_HANDLE evd, DAT_COUNT threshold = 1,
			 DAT_TIMEOUT timeout = long_time, Location where = Location::current())
		: sleeper([=,
			   this] { return dat_evd_wait(evd, timeout, threshold, &event, &more); },
			  where)
	{
	}

	DAT_RETURN result() { return sleeper.result(); }

	DAT_EVENT event{};
	DAT_COUNT more = -1;
	Sleeper sleeper;
};

/** A thread in dat_cno_wait(). */
class CnoWait {
public:
	explicit CnoWait(DAT_CNO_HANDLE cno, DAT_TIMEOUT timeout = long_time,
			 Location where = Location::current())
		: hint(cno), sleeper([=, this] { return dat_cno_wait(cno, timeout, &hint); }, where)
	{
	}

	DAT_RETURN result() { return sleeper.result(); }

	DAT_EVD_HANDLE hint; /**< no EVD until the call tells */
	Sleeper sleeper;
};

} // namespace suite
