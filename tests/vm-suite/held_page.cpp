// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "held_page.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <utility>

namespace suite {

namespace {

constexpr std::size_t page_size = 4096;
constexpr int touch_ms = 20'000;

int open_faults()
{
	return static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK));
}

/* Earlier kernels that pin for long do not wait for userfaultfd: the call fails. */
bool pinning_waits()
{
	utsname kernel{};
	int major = 0, minor = 0;

	return uname(&kernel) == 0 && std::sscanf(kernel.release, "%d.%d", &major, &minor) == 2 &&
	       std::pair(major, minor) >= std::pair(6, 3);
}

} // namespace

bool HeldPage::possible()
{
	if (!pinning_waits())
		return false;

	const int fd = open_faults();

	if (fd < 0)
		return errno != ENOSYS;
	close(fd);
	return true;
}

HeldPage::HeldPage(Location where)
	: fd_(open_faults()), address_(mmap(nullptr, page_size, PROT_READ | PROT_WRITE,
					    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
{
	uffdio_api api{ .api = UFFD_API, .features = 0, .ioctls = 0 };
	uffdio_register range{};

	require(fd_ >= 0, "userfaultfd", where);
	require(address_ != MAP_FAILED, "mmap", where);
	require(ioctl(fd_, UFFDIO_API, &api) == 0, "UFFDIO_API", where);
	range.range = { reinterpret_cast<std::uintptr_t>(address_), page_size };
	range.mode = UFFDIO_REGISTER_MODE_MISSING;
	require(ioctl(fd_, UFFDIO_REGISTER, &range) == 0, "UFFDIO_REGISTER", where);
}

HeldPage::~HeldPage()
{
	/* Who still waits is let go. */
	close(fd_);
	munmap(address_, page_size);
}

void HeldPage::await_touch(Location where)
{
	pollfd poll_fd{ .fd = fd_, .events = POLLIN, .revents = 0 };
	uffd_msg message{};

	require(poll(&poll_fd, 1, touch_ms) == 1, "nobody touches the page", where);
	require(read(fd_, &message, sizeof message) == sizeof message &&
			message.event == UFFD_EVENT_PAGEFAULT,
		"a page fault", where);
}

void HeldPage::release() noexcept
{
	uffdio_zeropage zero{};

	zero.range = { reinterpret_cast<std::uintptr_t>(address_), page_size };
	ioctl(fd_, UFFDIO_ZEROPAGE, &zero);
}

} // namespace suite
