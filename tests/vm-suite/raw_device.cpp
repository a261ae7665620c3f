// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "raw_device.hpp"

#include "settings.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

namespace suite {

RawFile::RawFile() : fd_(static_cast<int>(sys(open(KDAPL_DEVICE, O_RDWR | O_CLOEXEC)))) {}

RawFile::~RawFile()
{
	close();
}

void RawFile::close()
{
	if (fd_ >= 0)
		::close(fd_);
	fd_ = -1;
}

int RawFile::ioctl_errno(unsigned long command, void *arg) const
{
	return ioctl(fd_, command, arg) < 0 ? errno : 0;
}

RawMap::RawMap(const RawFile &file, const kdapl_map &map, int protection)
	: size_(map.size), start_(map.start)
{
	base_ = mmap(nullptr, size_, protection, MAP_SHARED, file.fd(),
		     static_cast<off_t>(map.offset));
	require(base_ != MAP_FAILED, "cannot map shared memory");
}

RawMap::~RawMap()
{
	unmap();
}

void RawMap::unmap()
{
	if (base_)
		munmap(base_, size_);
	base_ = nullptr;
}

int map_errno(const RawFile &file, std::size_t size, int protection, int flags,
	      std::uint64_t offset)
{
	void *base = mmap(nullptr, size, protection, flags, file.fd(), static_cast<off_t>(offset));

	if (base == MAP_FAILED)
		return errno;
	munmap(base, size);
	return 0;
}

RawIa::RawIa(std::uint32_t sq_entries, std::uint32_t flags)
{
	open_.flags = flags;
	adapter_name().copy(reinterpret_cast<char *>(open_.name), sizeof open_.name - 1);
	open_.sq_entries = sq_entries;
	require(file_.call(KDAPL_IA_OPEN, open_) == 0, "the IA cannot be opened");
	ring_ = std::make_unique<RawMap>(file_, open_.sq);
	status_ = std::make_unique<RawMap>(file_, open_.sq_status, PROT_READ);
}

kdapl_sqe *RawIa::entry(std::uint32_t index) const
{
	std::size_t slot = index & (entries() - 1);

	return ring_->at<kdapl_sqe>(KDAPL_SQ_ENTRIES_OFFSET + slot * sizeof(kdapl_sqe));
}

std::uint32_t RawIa::pz()
{
	kdapl_pz_create create{};

	require(file_.call(KDAPL_PZ_CREATE, create) == 0, "no PZ");
	return create.id;
}

kdapl_evd_create RawIa::evd_create(std::uint32_t qlen, std::uint32_t flags)
{
	kdapl_evd_create create{};

	create.qlen = qlen;
	create.flags = flags;
	require(file_.call(KDAPL_EVD_CREATE, create) == 0, "no EVD");
	return create;
}

std::uint32_t RawIa::evd(std::uint32_t qlen, std::uint32_t flags)
{
	return evd_create(qlen, flags).id;
}

kdapl_ep_create RawIa::ep_create(std::uint32_t pz, std::uint32_t evd)
{
	kdapl_ep_create create{};

	create.pz = pz;
	create.recv_evd = create.request_evd = create.connect_evd = evd;
	create.max_recvs = create.max_requests = 16;
	create.max_recv_iov = create.max_request_iov = 2;
	create.max_rdma_read_in = create.max_rdma_read_out = 1;
	require(file_.call(KDAPL_EP_CREATE, create) == 0, "no EP");
	return create;
}

kdapl_lmr_create RawIa::lmr_create(std::uint32_t pz, void *memory, std::size_t size)
{
	kdapl_lmr_create create{};

	create.pz = pz;
	create.privileges = KDAPL_PRIV_ALL;
	create.addr = reinterpret_cast<std::uintptr_t>(memory);
	create.length = size;
	require(file_.call(KDAPL_LMR_CREATE, create) == 0, "no LMR");
	return create;
}

kdapl_ia_query RawIa::query()
{
	kdapl_ia_query query{};

	require(file_.call(KDAPL_IA_QUERY, query) == 0, "no answer to a query");
	return query;
}

int RawIa::destroy(std::uint32_t type, std::uint32_t id)
{
	kdapl_destroy destroy{};

	destroy.type = type;
	destroy.id = id;
	return file_.call(KDAPL_DESTROY, destroy);
}

int RawIa::submit()
{
	return file_.ring(0);
}

void RawIa::push(const kdapl_sqe &sqe)
{
	std::atomic_ref<std::uint32_t> tail(ring()->tail);
	std::uint32_t index = tail.load(std::memory_order_relaxed);

	*entry(index) = sqe;
	tail.store(index + 1, std::memory_order_release);
}

void RawIa::await_taken(Location where)
{
	auto deadline = std::chrono::steady_clock::now() + patience();

	while (status()->head != ring()->tail)
		require(std::chrono::steady_clock::now() < deadline,
			"the module does not take what was posted", where);
}

RawEvd::RawEvd(RawIa &ia, std::uint32_t qlen, std::uint32_t flags)
	: ia_(ia), create_(ia.evd_create(qlen, flags)), ring_(ia.file(), create_.ring, PROT_READ),
	  head_(ia.file(), create_.head)
{
}

volatile std::uint32_t *RawEvd::head() const
{
	return &head_.at<volatile kdapl_ev_head>()->head;
}

std::uint32_t RawEvd::tail() const
{
	std::uint32_t tail = ring_.at<const volatile kdapl_ev_ring>()->tail;

	std::atomic_thread_fence(std::memory_order_acquire);
	return tail;
}

kdapl_event RawEvd::next(Location where)
{
	auto deadline = std::chrono::steady_clock::now() + patience();
	std::uint32_t index = *head();

	while (tail() == index)
		require(std::chrono::steady_clock::now() < deadline, "no event comes", where);
	kdapl_event event = ring_.at<kdapl_event>(KDAPL_EV_ENTRIES_OFFSET)[index & (length() - 1)];
	std::atomic_thread_fence(std::memory_order_release);
	*head() = index + 1;
	return event;
}

int RawEvd::wait(std::uint32_t threshold, std::uint64_t deadline_ns)
{
	kdapl_evd_wait wait{};

	wait.evd = id();
	wait.threshold = threshold;
	wait.deadline_ns = deadline_ns;
	return ia_.file().call(KDAPL_EVD_WAIT, wait);
}

std::uint64_t deadline_after_ms(std::uint64_t ms)
{
	timespec now{};

	clock_gettime(CLOCK_MONOTONIC, &now);
	return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
	       static_cast<std::uint64_t>(now.tv_nsec) + ms * 1'000'000;
}

} // namespace suite
