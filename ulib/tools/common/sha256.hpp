// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * SHA-256, piece by piece.
 */
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

struct evp_md_ctx_st;

namespace tools {

using Digest = std::array<std::byte, 32>;

/** The checksum of a stream of bytes. */
class Sha256 {
public:
	Sha256();
	void add(std::span<const std::byte> bytes);
	/** The digest of all that was added. Nothing can be added after it. */
	Digest finish();

private:
	struct Free {
		void operator()(evp_md_ctx_st *ctx) const;
	};
	std::unique_ptr<evp_md_ctx_st, Free> ctx_;
};

/** A digest as 64 hexadecimal digits. */
std::string hex_text(const Digest &digest);

} // namespace tools
