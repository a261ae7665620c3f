// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Numbers in messages: big endian, at whatever alignment, never read past the
 * end of what arrived.
 */
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace tools {

/** Appends numbers and bytes to a message. The caller provides enough room. */
class WireWriter {
public:
	explicit WireWriter(std::span<std::byte> room) : room_(room) {}

	template <std::unsigned_integral T>
	WireWriter &put(T value)
	{
		for (std::size_t i = 0; i < sizeof(T); i++)
			room_[used_++] = static_cast<std::byte>(value >> (8 * (sizeof(T) - 1 - i)));
		return *this;
	}
	WireWriter &put_bytes(std::span<const std::byte> bytes)
	{
		std::copy(bytes.begin(), bytes.end(), room_.begin() + used_);
		used_ += bytes.size();
		return *this;
	}
	std::size_t used() const { return used_; }

private:
	std::span<std::byte> room_;
	std::size_t used_ = 0;
};

/**
 * Takes numbers and bytes from a message. Reading past the end gives zeros and
 * makes ok() false for good.
 */
class WireReader {
public:
	explicit WireReader(std::span<const std::byte> message) : message_(message) {}

	template <std::unsigned_integral T>
	T get()
	{
		T value = 0;
		for (std::byte b : get_bytes(sizeof(T)))
			value = static_cast<T>((static_cast<std::uint64_t>(value) << 8) |
					       static_cast<std::uint8_t>(b));
		return value;
	}
	std::span<const std::byte> get_bytes(std::size_t count)
	{
		if (count > message_.size()) {
			ok_ = false;
			message_ = {};
			return {};
		}
		auto bytes = message_.first(count);
		message_ = message_.subspan(count);
		return bytes;
	}
	bool ok() const { return ok_; }

private:
	std::span<const std::byte> message_;
	bool ok_ = true;
};

} // namespace tools
