// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "adapter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace suite {

Adapter::Adapter(const std::string &name, DAT_EVD_HANDLE async_evd) : async_evd_(async_evd)
{
	std::string copy = name;

	ok(dat_ia_open(copy.data(), 8, &async_evd_, &ia_));
	ok(dat_ia_query(ia_, nullptr, DAT_IA_FIELD_ALL, &attributes_, DAT_PROVIDER_FIELD_ALL,
			&provider_));
	ok(dat_pz_create(ia_, &pz_));
}

Adapter::~Adapter()
{
	if (ia_ == DAT_HANDLE_NULL)
		return;
	/* On the way out of a failed test other things may be left. */
	if (testing::Test::HasFailure() || std::uncaught_exceptions() > 0) {
		dat_ia_close(ia_, DAT_CLOSE_ABRUPT_FLAG);
		return;
	}
	EXPECT_EQ(result_name(dat_pz_free(pz_)), result_name(DAT_SUCCESS));
	EXPECT_EQ(result_name(dat_ia_close(ia_, DAT_CLOSE_GRACEFUL_FLAG)),
		  result_name(DAT_SUCCESS));
}

void Adapter::close_abruptly()
{
	ok(dat_ia_close(std::exchange(ia_, DAT_HANDLE_NULL), DAT_CLOSE_ABRUPT_FLAG));
}

std::string Adapter::named_attribute(const std::string &name) const
{
	std::span attributes(provider_.provider_specific_attr,
			     static_cast<std::size_t>(provider_.num_provider_specific_attr));
	std::span more(attributes_.transport_attr,
		       static_cast<std::size_t>(attributes_.num_transport_attr));

	for (auto list : { attributes, more }) {
		for (const DAT_NAMED_ATTR &attribute : list) {
			if (name == attribute.name)
				return attribute.value;
		}
	}
	return "";
}

bool Adapter::iwarp()
{
	const char *rdma = std::getenv("KDAPL_RDMA");

	return rdma && std::strcmp(rdma, "siw") == 0;
}

Pages::Pages(std::size_t size) : size_(size)
{
	void *address = mmap(nullptr, std::max<std::size_t>(size, 1), PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	require(address != MAP_FAILED, "no memory");
	data_ = static_cast<unsigned char *>(address);
}

Pages::~Pages()
{
	munmap(data_, std::max<std::size_t>(size_, 1));
}

Region::Region(const Adapter &adapter, std::size_t size, DAT_MEM_PRIV_FLAGS privileges,
	       DAT_PZ_HANDLE pz)
	: pages_(size)
{
	DAT_REGION_DESCRIPTION description{ .for_va = pages_.data() };

	ok(dat_lmr_create(adapter.ia(), DAT_MEM_TYPE_VIRTUAL, description, size,
			  pz == DAT_HANDLE_NULL ? adapter.pz() : pz, privileges, &lmr_,
			  &lmr_context_, &rmr_context_, nullptr, nullptr));
}

Region::~Region()
{
	if (lmr_ != DAT_HANDLE_NULL)
		dat_lmr_free(lmr_);
}

void Region::free()
{
	ok(dat_lmr_free(std::exchange(lmr_, DAT_HANDLE_NULL)));
}

std::span<unsigned char> Region::bytes(std::size_t offset, std::size_t length) const
{
	require(offset + length <= size(), "the test looks outside of its memory");
	return { data() + offset, length };
}

DAT_LMR_TRIPLET Region::local(std::size_t offset, std::size_t length) const noexcept
{
	return { .lmr_context = lmr_context_,
		 .pad = 0,
		 .virtual_address = reinterpret_cast<DAT_VADDR>(data() + offset),
		 .segment_length = length };
}

DAT_RMR_TRIPLET Region::remote(std::size_t offset, std::size_t length) const noexcept
{
	return { .rmr_context = rmr_context_,
		 .pad = 0,
		 .target_address = reinterpret_cast<DAT_VADDR>(data() + offset),
		 .segment_length = length };
}

DAT_RETURN register_pages(const Adapter &adapter, const Pages &pages, DAT_LMR_HANDLE *lmr)
{
	DAT_REGION_DESCRIPTION description{ .for_va = pages.data() };

	return dat_lmr_create(adapter.ia(), DAT_MEM_TYPE_VIRTUAL, description, pages.size(),
			      adapter.pz(), DAT_MEM_PRIV_ALL_FLAG, lmr, nullptr, nullptr, nullptr,
			      nullptr);
}

namespace {

/** Neighbours differ, and so do the same places of two patterns. */
unsigned char pattern_byte(std::uint64_t seed, std::size_t place)
{
	return static_cast<unsigned char>((seed * 131 + place * 7 + (place >> 8) * 13) >> 1);
}

} // namespace

void fill(std::span<unsigned char> bytes, std::uint64_t seed)
{
	for (std::size_t i = 0; i < bytes.size(); i++)
		bytes[i] = pattern_byte(seed, i);
}

void require_pattern(std::span<const unsigned char> bytes, std::uint64_t seed, Location where)
{
	for (std::size_t i = 0; i < bytes.size(); i++) {
		if (bytes[i] != pattern_byte(seed, i))
			throw Failure("byte " + std::to_string(i) + " of " +
					      std::to_string(bytes.size()) + " is wrong",
				      where);
	}
}

void require_bytes(std::span<const unsigned char> bytes, unsigned char value, Location where)
{
	for (std::size_t i = 0; i < bytes.size(); i++) {
		if (bytes[i] != value)
			throw Failure("byte " + std::to_string(i) + " of " +
					      std::to_string(bytes.size()) + " was changed",
				      where);
	}
}

} // namespace suite
