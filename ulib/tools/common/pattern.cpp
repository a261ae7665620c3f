// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "pattern.hpp"

#include <algorithm>
#include <cstring>

namespace tools {

/* Spreads every bit of x over the whole word (the splitmix64 finalizer). */
static constexpr std::uint64_t mix(std::uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

/* The words of a pattern, one after the other: one addition and one multiplication each. */
class Words {
public:
	explicit Words(const Pattern &p) : state_(mix(p.sequence ^ mix(p.stream + 1))) {}
	std::uint64_t next()
	{
		state_ += 0x9e3779b97f4a7c15;
		std::uint64_t word = state_ * 0xd6e8feb86659fd93;
		return word ^ (word >> 32);
	}

private:
	std::uint64_t state_;
};

void Pattern::fill(std::span<std::byte> bytes) const
{
	Words words(*this);

	while (!bytes.empty()) {
		std::uint64_t word = words.next();
		std::size_t n = std::min(bytes.size(), sizeof(word));
		std::memcpy(bytes.data(), &word, n);
		bytes = bytes.subspan(n);
	}
}

std::optional<std::size_t> Pattern::mismatch(std::span<const std::byte> bytes) const
{
	Words words(*this);

	for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
		std::uint64_t word = words.next();
		std::size_t n = std::min(bytes.size() - at, sizeof(word));
		if (std::memcmp(bytes.data() + at, &word, n) == 0)
			continue;
		auto *expected = reinterpret_cast<const std::byte *>(&word);
		auto *actual = bytes.data() + at;
		return at + static_cast<std::size_t>(
				    std::mismatch(expected, expected + n, actual).first - expected);
	}
	return std::nullopt;
}

} // namespace tools
