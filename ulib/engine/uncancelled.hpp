// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Threads of programs that use pthread_cancel(). */
#pragma once

#include <pthread.h>

namespace kdapl {

/**
 * While it lives its thread is not cancelled: the unwinding would meet a noexcept
 * function, or our callers' C code with our locks held. What is asked for meanwhile is
 * done at the thread's next cancellation point. Around each such point of ours: open(),
 * close(), read(), pthread_join(), output, and a provider's own code.
 */
class Uncancelled {
public:
	Uncancelled() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
	Uncancelled(const Uncancelled &) = delete;
	Uncancelled &operator=(const Uncancelled &) = delete;
	~Uncancelled() { pthread_setcancelstate(before_, nullptr); }

private:
	int before_;
};

} // namespace kdapl
