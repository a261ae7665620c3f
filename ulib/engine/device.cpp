// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "device.hpp"

#include "handle.hpp"
#include "uncancelled.hpp"

#include <cerrno>
#include <fcntl.h>
#include <mutex>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace kdapl {

namespace {

class KernelDevice final : public Device {
public:
	KernelDevice() noexcept = default;
	KernelDevice(const KernelDevice &) = delete;
	KernelDevice &operator=(const KernelDevice &) = delete;
	~KernelDevice() override
	{
		if (fd_ < 0)
			return;
		const Uncancelled uncancelled;
		std::lock_guard lock(list_mutex);
		KernelDevice **link = &list;
		while (*link != this)
			link = &(*link)->next_;
		*link = next_;
		close(fd_);
	}

	/** 0, or an errno. At no time is a file open that a fork() would not close. */
	int open_file() noexcept
	{
		const Uncancelled uncancelled;
		std::lock_guard lock(list_mutex);

		fd_ = open(KDAPL_DEVICE, O_RDWR | O_CLOEXEC);
		if (fd_ < 0)
			return errno;
		next_ = std::exchange(list, this);
		return 0;
	}

	/* What fork() does to all open devices. */
	static void before_fork() noexcept { list_mutex.lock(); }
	static void after_fork_in_parent() noexcept { list_mutex.unlock(); }
	static void after_fork_in_child() noexcept
	{
		const Uncancelled uncancelled;

		for (const KernelDevice *device = list; device; device = device->next_)
			close(device->fd_);
		list = nullptr;
		list_mutex.unlock();
	}

	int control(unsigned long command, void *arg) noexcept override
	{
		return ioctl(fd_, command, arg) < 0 ? errno : 0;
	}

	/*
	 * It takes no event, so a thread may be cancelled at any of its instructions; what
	 * else it takes, its caller gives back. There is nothing to clean up here: a frame
	 * that had something would end the program, since no compiler expects an exception
	 * where none is thrown.
	 */
	int sleep(unsigned long command, void *arg) override
	{
		int type;

		pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
		const int err = ioctl(fd_, command, arg) < 0 ? errno : 0;
		pthread_setcanceltype(type, nullptr);
		return err;
	}

	void *map(std::uint64_t offset, std::size_t size, bool writable) noexcept override
	{
		const int prot = writable ? PROT_READ | PROT_WRITE : PROT_READ;
		void *address =
			mmap(nullptr, size, prot, MAP_SHARED, fd_, static_cast<off_t>(offset));

		return address == MAP_FAILED ? nullptr : address;
	}

	void unmap(void *address, std::size_t size) noexcept override { munmap(address, size); }

	int file() const noexcept override { return fd_; }

private:
	static constinit inline std::mutex list_mutex;
	static constinit inline KernelDevice *list = nullptr;

	int fd_ = -1;
	KernelDevice *next_ = nullptr;
};

void before_fork() noexcept
{
	KernelDevice::before_fork();
}

void after_fork_in_parent() noexcept
{
	KernelDevice::after_fork_in_parent();
}

void after_fork_in_child() noexcept
{
	KernelDevice::after_fork_in_child();
	HandleTable::instance().forget_all();
}

int open_kernel_device(std::unique_ptr<Device> &device)
{
	auto opened = std::make_unique<KernelDevice>();
	const int err = opened->open_file();

	if (!err)
		device = std::move(opened);
	return err;
}

std::mutex opener_mutex;

DeviceOpener &opener_in_use()
{
	static DeviceOpener opener;

	return opener;
}

} // namespace

int open_device(std::unique_ptr<Device> &device)
{
	static const int watched =
		pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
	DeviceOpener opener;

	if (watched)
		return watched;
	{
		std::lock_guard lock(opener_mutex);
		opener = opener_in_use();
	}
	return opener ? opener(device) : open_kernel_device(device);
}

void set_device_opener(DeviceOpener opener)
{
	std::lock_guard lock(opener_mutex);
	opener_in_use() = std::move(opener);
}

} // namespace kdapl
