// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Registered memory.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <dat/udat.h>

#include "adapter.hpp"
#include "handle.hpp"

namespace tools {

/** Zeroed memory of whole pages, returned to the system at the end. */
class Pages {
public:
	explicit Pages(std::size_t size);
	std::span<std::byte> bytes() const { return { data_.get(), data_.get_deleter().size }; }

private:
	struct Unmap {
		std::size_t size;
		void operator()(std::byte *data) const;
	};
	std::unique_ptr<std::byte, Unmap> data_;
};

/** Memory that the adapter may use: pages with an LMR over them. */
class Region {
public:
	/**
	 * Allocates and registers. When the limit on locked memory is in the way,
	 * the error names the limit and what was needed.
	 */
	Region(const Adapter &adapter, std::size_t size, DAT_MEM_PRIV_FLAGS privileges);
	~Region();
	Region(Region &&) = default;
	Region &operator=(Region &&) = delete;

	std::span<std::byte> bytes() const { return pages_.bytes(); }
	/** A piece of the region as a local segment of a post. */
	DAT_LMR_TRIPLET segment(std::size_t offset, std::size_t length) const;
	/** The memory type that the region got: an adapter may order it strongly. */
	DAT_MEM_TYPE mem_type() const;
	/** What a peer needs to name the region. */
	DAT_RMR_CONTEXT rmr_context() const { return rmr_context_; }
	DAT_VADDR address() const { return reinterpret_cast<std::uintptr_t>(bytes().data()); }

private:
	Pages pages_;
	LmrHandle lmr_;
	DAT_LMR_CONTEXT lmr_context_ = 0;
	DAT_RMR_CONTEXT rmr_context_ = 0;
};

/** Privileges of memory that only this side touches. */
inline constexpr DAT_MEM_PRIV_FLAGS local_access =
	DAT_MEM_PRIV_LOCAL_READ_FLAG | DAT_MEM_PRIV_LOCAL_WRITE_FLAG;
/** The same, and the peer may read it by RDMA. */
inline constexpr DAT_MEM_PRIV_FLAGS remote_readable = local_access | DAT_MEM_PRIV_REMOTE_READ_FLAG;
/** The same, and the peer may write it by RDMA. */
inline constexpr DAT_MEM_PRIV_FLAGS remote_writable = local_access | DAT_MEM_PRIV_REMOTE_WRITE_FLAG;

} // namespace tools
