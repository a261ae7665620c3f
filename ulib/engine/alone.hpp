// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A program of one thread needs no locks. The path of data leaves them out as long as
 * the C library says that there was never another thread.
 */
#pragma once

#include <mutex>

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

namespace kdapl {

/**
 * Whether the caller is the only thread. It stays so until the caller itself starts one,
 * and what was stored before that is seen by the new thread.
 */
inline bool alone() noexcept
{
#if __has_include(<sys/single_threaded.h>)
	return __libc_single_threaded;
#else
	return false;
#endif
}

/**
 * A mutex that costs nothing while there is one thread. Its holder starts none: that one
 * would not be kept out.
 */
class Mutex {
public:
	void lock() noexcept
	{
		if (alone())
			left_out_ = true;
		else
			mutex_.lock();
	}

	/** As it was locked, should the first thread have been started meanwhile. */
	void unlock() noexcept
	{
		if (left_out_)
			left_out_ = false;
		else
			mutex_.unlock();
	}

private:
	std::mutex mutex_;
	bool left_out_ = false; /**< it is locked, and mutex_ is not */
};

/** In the place of a lock of such a mutex, for a call that found itself alone(). */
struct Unlocked {
	explicit Unlocked(Mutex &) noexcept {}
};

} // namespace kdapl
