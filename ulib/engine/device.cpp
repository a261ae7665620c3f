// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "device.hpp"

#include <cerrno>
#include <fcntl.h>
#include <mutex>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace kdapl {

namespace {

class KernelDevice final : public Device {
public:
	explicit KernelDevice(int fd) noexcept : fd_(fd) {}
	KernelDevice(const KernelDevice &) = delete;
	KernelDevice &operator=(const KernelDevice &) = delete;
	~KernelDevice() override { close(fd_); }

	int control(unsigned long command, void *arg) noexcept override
	{
		return ioctl(fd_, command, arg) < 0 ? errno : 0;
	}

	void *map(std::uint64_t offset, std::size_t size, bool writable) noexcept override
	{
		const int prot = writable ? PROT_READ | PROT_WRITE : PROT_READ;
		void *address =
			mmap(nullptr, size, prot, MAP_SHARED, fd_, static_cast<off_t>(offset));

		return address == MAP_FAILED ? nullptr : address;
	}

	void unmap(void *address, std::size_t size) noexcept override { munmap(address, size); }

private:
	int fd_;
};

int open_kernel_device(std::unique_ptr<Device> &device)
{
	const int fd = open(KDAPL_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return errno;
	try {
		device = std::make_unique<KernelDevice>(fd);
	} catch (...) {
		close(fd);
		throw;
	}
	return 0;
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
	DeviceOpener opener;
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
