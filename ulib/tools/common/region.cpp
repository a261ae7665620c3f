// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "region.hpp"

#include <cerrno>

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fmt/format.h>

#include "error.hpp"

namespace tools {

static std::size_t whole_pages(std::size_t size)
{
	const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));

	return size ? (size + page - 1) / page * page : page;
}

Pages::Pages(std::size_t size)
{
	size = whole_pages(size);
	void *data =
		mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (data == MAP_FAILED)
		throw errno_error(fmt::format("allocate {} bytes", size), errno);
	data_ = std::unique_ptr<std::byte, Unmap>(static_cast<std::byte *>(data), Unmap{ size });
}

void Pages::Unmap::operator()(std::byte *data) const
{
	munmap(data, size);
}

/* Bytes that this program has registered, which is what the limit counts. */
static std::size_t registered;

static Error no_memory(std::size_t size, DAT_RETURN ret)
{
	const std::size_t needed = registered + size;
	rlimit limit{};

	getrlimit(RLIMIT_MEMLOCK, &limit);
	std::string sentence =
		fmt::format("cannot register {} bytes of memory: {}", size, dat_text(ret));
	if (limit.rlim_cur != RLIM_INFINITY && needed > limit.rlim_cur)
		return Error(
			sentence +
			fmt::format(". RLIMIT_MEMLOCK allows {} bytes of locked memory, {} are "
				    "needed: raise it (ulimit -l {}, or memlock in "
				    "/etc/security/limits.conf), or use smaller sizes",
				    limit.rlim_cur, needed, (needed + 1023) / 1024));
	std::string allowed = limit.rlim_cur == RLIM_INFINITY ?
				      "any amount" :
				      fmt::format("{} bytes", limit.rlim_cur);
	return Error(sentence +
		     fmt::format(". RLIMIT_MEMLOCK allows {} and {} bytes are needed, so "
				 "the adapter or the machine is out of memory: use "
				 "smaller sizes",
				 allowed, needed));
}

Region::Region(const Adapter &adapter, std::size_t size, DAT_MEM_PRIV_FLAGS privileges)
	: pages_(size)
{
	DAT_REGION_DESCRIPTION where{};
	const std::size_t length = bytes().size();

	if (length > adapter.attr().max_lmr_block_size)
		throw Error(
			fmt::format("cannot register {} bytes of memory: adapter {} takes at most "
				    "{} in one region, so use smaller sizes",
				    length, adapter.name(), adapter.attr().max_lmr_block_size));
	where.for_va = bytes().data();
	DAT_RETURN ret = dat_lmr_create(adapter.ia(), DAT_MEM_TYPE_VIRTUAL, where, length,
					adapter.pz(), privileges, lmr_.out(), &lmr_context_,
					&rmr_context_, nullptr, nullptr);
	if (DAT_GET_TYPE(ret) == DAT_INSUFFICIENT_RESOURCES)
		throw no_memory(length, ret);
	check(ret, fmt::format("register {} bytes of memory", length));
	registered += length;
}

Region::~Region()
{
	if (lmr_.get() != DAT_HANDLE_NULL)
		registered -= bytes().size();
}

DAT_MEM_TYPE Region::mem_type() const
{
	DAT_LMR_PARAM param{};

	check(dat_lmr_query(lmr_.get(), DAT_LMR_FIELD_MEM_TYPE, &param), "query a region");
	return param.mem_type;
}

DAT_LMR_TRIPLET Region::segment(std::size_t offset, std::size_t length) const
{
	DAT_LMR_TRIPLET segment{};

	segment.lmr_context = lmr_context_;
	segment.virtual_address = address() + offset;
	segment.segment_length = length;
	return segment;
}

} // namespace tools
