// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Memory that programs share, and LMRs of every type. */
#pragma once

#include "adapter.hpp"

#include <array>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace suite {

constexpr std::size_t page = 4096;
constexpr std::size_t shared_size = 4 * page;

using Cookie = std::array<char, DAT_LMR_COOKIE_SIZE>;

/** A cookie without a zero byte; @p last is its last one. */
inline Cookie shared_cookie(char last = 'z')
{
	Cookie cookie;

	cookie.fill('c');
	cookie.back() = last;
	return cookie;
}

/** Shared memory of shared_size, or what passes for it. */
class Mapping {
public:
	Mapping(int fd, std::size_t offset = 0, int protection = PROT_READ | PROT_WRITE,
		int flags = MAP_SHARED)
	{
		void *address = mmap(nullptr, shared_size, protection, flags, fd,
				     static_cast<off_t>(offset));

		require(address != MAP_FAILED, "no mapping");
		data_ = static_cast<unsigned char *>(address);
	}
	Mapping(const Mapping &) = delete;
	Mapping &operator=(const Mapping &) = delete;
	~Mapping() { munmap(data_, shared_size); }

	unsigned char *data() const noexcept { return data_; }

private:
	unsigned char *data_;
};

inline int make_object(unsigned flags = 0)
{
	const int fd = static_cast<int>(sys(memfd_create("kdapl-test", flags)));

	sys(ftruncate(fd, 2 * shared_size));
	return fd;
}

/** An LMR of any type. */
class Lmr {
public:
	Lmr(const Adapter &adapter, DAT_MEM_TYPE type, DAT_REGION_DESCRIPTION region,
	    DAT_VLEN length, DAT_MEM_PRIV_FLAGS privileges = all_privileges,
	    DAT_PZ_HANDLE pz = DAT_HANDLE_NULL)
		: result(dat_lmr_create(adapter.ia(), type, region, length,
					pz == DAT_HANDLE_NULL ? adapter.pz() : pz, privileges, &lmr,
					&context, &rmr_context, &registered, &address))
	{
	}
	Lmr(const Lmr &) = delete;
	Lmr &operator=(const Lmr &) = delete;
	~Lmr()
	{
		if (result == DAT_SUCCESS && lmr != DAT_HANDLE_NULL)
			dat_lmr_free(lmr);
	}
	void free() { ok(dat_lmr_free(std::exchange(lmr, DAT_HANDLE_NULL))); }

	DAT_LMR_TRIPLET local(std::size_t offset, std::size_t length) const
	{
		return { context, 0, address + offset, length };
	}
	DAT_RMR_TRIPLET remote(std::size_t offset, std::size_t length) const
	{
		return { rmr_context, 0, address + offset, length };
	}

	DAT_LMR_HANDLE lmr = DAT_HANDLE_NULL;
	DAT_LMR_CONTEXT context = 0;
	DAT_RMR_CONTEXT rmr_context = 1;
	DAT_VLEN registered = 0;
	DAT_VADDR address = 0;
	DAT_RETURN result;
};

inline DAT_REGION_DESCRIPTION over(DAT_LMR_HANDLE lmr)
{
	DAT_REGION_DESCRIPTION region{};

	region.for_lmr_handle = lmr;
	return region;
}

/** Memory that all who share it call @p cookie. */
struct SharedLmr : Lmr {
	SharedLmr(const Adapter &adapter, unsigned char *start, Cookie cookie,
		  DAT_VLEN length = shared_size, DAT_MEM_PRIV_FLAGS privileges = all_privileges)
		: Lmr(adapter, DAT_MEM_TYPE_SHARED_VIRTUAL, region_of(start, cookie), length,
		      privileges)
	{
	}

private:
	static DAT_REGION_DESCRIPTION region_of(unsigned char *start, Cookie &cookie)
	{
		DAT_REGION_DESCRIPTION region{};

		region.for_shared_memory.virtual_address = start;
		region.for_shared_memory.shared_memory_id =
			reinterpret_cast<DAT_LMR_COOKIE>(cookie.data());
		return region;
	}
};

} // namespace suite
