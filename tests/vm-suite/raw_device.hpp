// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * /dev/kdapl without the library, for programs that do what the library would
 * never do.
 */
#pragma once

#include "failure.hpp"

#include "uapi/kdapl.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <sys/mman.h>
#include <vector>

namespace suite {

/** An open file of the device. */
class RawFile {
public:
	RawFile();
	RawFile(const RawFile &) = delete;
	RawFile &operator=(const RawFile &) = delete;
	~RawFile();

	int fd() const noexcept { return fd_; }

	/** Closes the file now. */
	void close();

	/** A command with its size filled in; 0 or the errno. */
	template <typename Arg>
	int call(unsigned long command, Arg &arg) const
	{
		arg.size = sizeof arg;
		return ioctl_errno(command, &arg);
	}

	/** KDAPL_DOORBELL; the argument is a number. */
	int ring(std::uint64_t evd) const
	{
		return ioctl_errno(KDAPL_DOORBELL, reinterpret_cast<void *>(evd));
	}

	/** A command with anything at all; 0 or the errno. */
	int ioctl_errno(unsigned long command, void *arg) const;

private:
	int fd_;
};

/** A mapping of a piece of shared memory. */
class RawMap {
public:
	RawMap(const RawFile &file, const kdapl_map &map, int protection = PROT_READ | PROT_WRITE);
	RawMap(const RawMap &) = delete;
	RawMap &operator=(const RawMap &) = delete;
	~RawMap();

	void unmap();
	void *base() const noexcept { return base_; }
	std::size_t size() const noexcept { return size_; }

	/** Where the piece is. */
	template <typename T>
	T *at(std::size_t offset = 0) const
	{
		return reinterpret_cast<T *>(static_cast<char *>(base_) + start_ + offset);
	}

private:
	void *base_;
	std::size_t size_, start_;
};

/** mmap() with these arguments; 0 or the errno. Whatever it maps is unmapped again. */
int map_errno(const RawFile &file, std::size_t size, int protection, int flags,
	      std::uint64_t offset);

/** An IA of the device's own calls, with its submission ring mapped. */
class RawIa {
public:
	explicit RawIa(std::uint32_t sq_entries = 64, std::uint32_t flags = 0);

	RawFile &file() noexcept { return file_; }
	const kdapl_ia_open &opened() const noexcept { return open_; }
	std::uint32_t entries() const noexcept { return open_.sq_entries; }
	kdapl_sq_ring *ring() const { return ring_->at<kdapl_sq_ring>(); }
	const volatile kdapl_sq_status *status() const
	{
		return status_->at<const volatile kdapl_sq_status>();
	}
	kdapl_sqe *entry(std::uint32_t index) const;

	std::uint32_t pz();
	std::uint32_t evd(std::uint32_t qlen = 64, std::uint32_t flags = 0x60);
	kdapl_evd_create evd_create(std::uint32_t qlen, std::uint32_t flags);
	kdapl_ep_create ep_create(std::uint32_t pz, std::uint32_t evd);
	kdapl_lmr_create lmr_create(std::uint32_t pz, void *memory, std::size_t size);
	kdapl_ia_query query();
	int destroy(std::uint32_t type, std::uint32_t id);
	int submit();

	/** Puts an entry at the tail and moves the tail on; rings no bell. */
	void push(const kdapl_sqe &sqe);

	/** Waits until the module has taken everything that was pushed. */
	void await_taken(Location where = Location::current());

private:
	RawFile file_;
	kdapl_ia_open open_{};
	std::unique_ptr<RawMap> ring_, status_;
};

/** An EVD of the device's own calls, mapped. */
class RawEvd {
public:
	RawEvd(RawIa &ia, std::uint32_t qlen, std::uint32_t flags = 0x60);

	std::uint32_t id() const noexcept { return create_.id; }
	std::uint32_t length() const noexcept { return create_.qlen; }
	const kdapl_evd_create &created() const noexcept { return create_; }
	volatile std::uint32_t *head() const;
	std::uint32_t tail() const;

	/** Waits until an event comes, and takes it. */
	kdapl_event next(Location where = Location::current());

	/** Sleeps in the module; 0 or the errno. */
	int wait(std::uint32_t threshold, std::uint64_t deadline_ns);

private:
	RawIa &ia_;
	kdapl_evd_create create_;
	RawMap ring_, head_;
};

/** A point of CLOCK_MONOTONIC so far from now. */
std::uint64_t deadline_after_ms(std::uint64_t ms);

} // namespace suite
