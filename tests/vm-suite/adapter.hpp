// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* DAT objects that free themselves, for test programs. */
#pragma once

#include "failure.hpp"
#include "settings.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace suite {

/** An open adapter with a protection zone. */
class Adapter {
public:
	/** With the asynchronous EVD of another one, where that is given. */
	explicit Adapter(const std::string &name = adapter_name(),
			 DAT_EVD_HANDLE async_evd = DAT_HANDLE_NULL);
	Adapter(const Adapter &) = delete;
	Adapter &operator=(const Adapter &) = delete;

	/** Closes gracefully: fails the test when an object is left over. */
	~Adapter();

	/** Closes abruptly, whatever objects there are. */
	void close_abruptly();

	DAT_IA_HANDLE ia() const noexcept { return ia_; }
	DAT_PZ_HANDLE pz() const noexcept { return pz_; }
	DAT_EVD_HANDLE async_evd() const noexcept { return async_evd_; }
	const DAT_IA_ATTR &attributes() const noexcept { return attributes_; }
	const DAT_PROVIDER_ATTR &provider() const noexcept { return provider_; }

	/** The adapter's own address, which its peers in this machine connect to. */
	DAT_IA_ADDRESS_PTR address() const noexcept { return attributes_.ia_address_ptr; }

	/** The transport is iWARP. */
	static bool iwarp();

	/** Value of one of the adapter's named attributes. */
	std::string named_attribute(const std::string &name) const;

private:
	DAT_IA_HANDLE ia_ = DAT_HANDLE_NULL;
	DAT_PZ_HANDLE pz_ = DAT_HANDLE_NULL;
	DAT_EVD_HANDLE async_evd_ = DAT_HANDLE_NULL;
	DAT_IA_ATTR attributes_{};
	DAT_PROVIDER_ATTR provider_{};
};

/** Anonymous memory without a registration. */
class Pages {
public:
	explicit Pages(std::size_t size);
	Pages(const Pages &) = delete;
	Pages &operator=(const Pages &) = delete;
	~Pages();

	unsigned char *data() const noexcept { return data_; }
	std::size_t size() const noexcept { return size_; }

private:
	unsigned char *data_;
	std::size_t size_;
};

constexpr DAT_MEM_PRIV_FLAGS all_privileges = DAT_MEM_PRIV_ALL_FLAG;

/** Memory of its own, registered. */
class Region {
public:
	Region(const Adapter &adapter, std::size_t size,
	       DAT_MEM_PRIV_FLAGS privileges = all_privileges, DAT_PZ_HANDLE pz = DAT_HANDLE_NULL);
	Region(const Region &) = delete;
	Region &operator=(const Region &) = delete;
	~Region();

	/** Ends the registration; the memory stays. */
	void free();

	unsigned char *data() const noexcept { return pages_.data(); }
	std::size_t size() const noexcept { return pages_.size(); }
	std::span<unsigned char> bytes(std::size_t offset, std::size_t length) const;
	DAT_LMR_HANDLE lmr() const noexcept { return lmr_; }

	/** A piece of the region for local use. */
	DAT_LMR_TRIPLET local(std::size_t offset, std::size_t length) const noexcept;

	/** A piece of the region for the peer's use. */
	DAT_RMR_TRIPLET remote(std::size_t offset, std::size_t length) const noexcept;

private:
	Pages pages_;
	DAT_LMR_HANDLE lmr_ = DAT_HANDLE_NULL;
	DAT_LMR_CONTEXT lmr_context_ = 0;
	DAT_RMR_CONTEXT rmr_context_ = 0;
};

/** Registers memory of a test; the call's own result. */
DAT_RETURN register_pages(const Adapter &adapter, const Pages &pages, DAT_LMR_HANDLE *lmr);

/** Fills memory with a pattern that depends on the seed and on the place. */
void fill(std::span<unsigned char> bytes, std::uint64_t seed);

/** Fails unless the memory holds the pattern of the seed. */
void require_pattern(std::span<const unsigned char> bytes, std::uint64_t seed,
		     Location where = Location::current());

/** Fails unless every byte of the memory has this value. */
void require_bytes(std::span<const unsigned char> bytes, unsigned char value,
		   Location where = Location::current());

} // namespace suite
