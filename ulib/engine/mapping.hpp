// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Pieces of memory shared with the module. Several objects' pieces can lie in
 * one mapping; it is made once and unmapped with its last user.
 */
#pragma once

#include "device.hpp"

#include <map>
#include <memory>
#include <mutex>

namespace kdapl {

/** One mmap() of the device. */
class Mapping {
public:
	Mapping(Device &device, void *address, std::size_t size) noexcept
		: device_(device), address_(static_cast<char *>(address)), size_(size)
	{
	}
	Mapping(const Mapping &) = delete;
	Mapping &operator=(const Mapping &) = delete;
	~Mapping() { device_.unmap(address_, size_); }

	char *at(std::uint32_t start) const noexcept { return address_ + start; }
	std::size_t size() const noexcept { return size_; }

private:
	Device &device_;
	char *address_;
	std::size_t size_;
};

/** A T in shared memory, and the mapping that keeps it there. */
template <class T>
struct Shared {
	std::shared_ptr<Mapping> mapping;
	T *ptr = nullptr;

	T *operator->() const noexcept { return ptr; }
	T &operator*() const noexcept { return *ptr; }
	explicit operator bool() const noexcept { return ptr; }
};

/** The mappings of one open device. */
class Mappings {
public:
	explicit Mappings(Device &device) noexcept : device_(device) {}

	/** The T that a piece begins with; empty when it cannot be mapped. */
	template <class T>
	Shared<T> get(const kdapl_map &piece, bool writable)
	{
		Shared<T> shared;

		if (piece.start % alignof(T) || piece.start + sizeof(T) > piece.size)
			return shared;
		shared.mapping = find_or_map(piece, writable);
		if (shared.mapping)
			shared.ptr = reinterpret_cast<T *>(shared.mapping->at(piece.start));
		return shared;
	}

private:
	std::shared_ptr<Mapping> find_or_map(const kdapl_map &piece, bool writable);

	Device &device_;
	std::mutex mutex_;
	std::map<std::uint64_t, std::weak_ptr<Mapping>> by_offset_;
	std::size_t prune_at_ = 16;
};

} // namespace kdapl
