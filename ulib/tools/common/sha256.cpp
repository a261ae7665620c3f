// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sha256.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include "error.hpp"

namespace tools {

static void must(int ok)
{
	if (ok != 1)
		throw Error("the SHA-256 of the OpenSSL library does not work");
}

Sha256::Sha256() : ctx_(EVP_MD_CTX_new())
{
	must(ctx_ != nullptr && EVP_DigestInit_ex(ctx_.get(), EVP_sha256(), nullptr));
}

void Sha256::add(std::span<const std::byte> bytes)
{
	must(EVP_DigestUpdate(ctx_.get(), bytes.data(), bytes.size()));
}

Digest Sha256::finish()
{
	Digest digest{};

	must(EVP_DigestFinal_ex(ctx_.get(), reinterpret_cast<unsigned char *>(digest.data()),
				nullptr));
	return digest;
}

void Sha256::Free::operator()(evp_md_ctx_st *ctx) const
{
	EVP_MD_CTX_free(ctx);
}

std::string hex_text(const Digest &digest)
{
	std::string text;

	for (std::byte b : digest)
		text += fmt::format("{:02x}", static_cast<unsigned>(b));
	return text;
}

} // namespace tools
