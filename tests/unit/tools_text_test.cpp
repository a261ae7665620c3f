// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Addresses, peers' texts, amounts and checksums as the tools read or print them.

#include "common/address.hpp"
#include "common/error.hpp"
#include "common/progress.hpp"
#include "common/sha256.hpp"

#include <gtest/gtest.h>

TEST(HostPort, TakesEveryForm)
{
	auto expect = [](std::string_view text, std::string_view host,
			 std::optional<std::uint64_t> port) {
		auto got = tools::parse_host_port(text);
		ASSERT_TRUE(got) << text;
		EXPECT_EQ(got->host, host);
		EXPECT_EQ(got->port, port);
	};

	expect("192.0.2.1", "192.0.2.1", std::nullopt);
	expect("192.0.2.1:7", "192.0.2.1", 7);
	expect("host.example:45249", "host.example", 45249);
	expect("2001:db8::1", "2001:db8::1", std::nullopt);
	expect("[2001:db8::1]", "2001:db8::1", std::nullopt);
	expect("[2001:db8::1]:9", "2001:db8::1", 9);
}

TEST(HostPort, RefusesTheRest)
{
	for (const char *text :
	     { "", ":1", "host:", "host:x", "host:1x", "host:0", "host:-1", "[::1", "[::1]x",
	       "[::1]:", "[]:1", "host:99999999999999999999999" })
		EXPECT_FALSE(tools::parse_host_port(text)) << text;
}

TEST(Address, NumbersResolveToThemselves)
{
	for (const char *text : { "192.0.2.1", "2001:db8::1" }) {
		const auto addresses = tools::resolve(text);
		ASSERT_EQ(addresses.size(), 1u);
		EXPECT_EQ(addresses.front().text(), text);
	}
	EXPECT_FALSE(tools::Address().valid());
}

TEST(Printable, TakesTerminalControlOut)
{
	EXPECT_EQ(tools::printable("plain text."), "plain text.");
	EXPECT_EQ(tools::printable("\x1b[31mred\n"), "\\x1b[31mred\\x0a");
	EXPECT_EQ(tools::printable(std::string_view("\0", 1)), "\\x00");
	EXPECT_EQ(tools::printable("\xc2\x9b"), "\\xc2\\x9b");
}

TEST(BytesText, PicksAUnit)
{
	EXPECT_EQ(tools::bytes_text(0), "0 B");
	EXPECT_EQ(tools::bytes_text(1023), "1023 B");
	EXPECT_EQ(tools::bytes_text(1536), "1.5 KiB");
	EXPECT_EQ(tools::bytes_text(1 << 30), "1.0 GiB");
}

TEST(Sha256, KnownDigests)
{
	tools::Sha256 empty;
	EXPECT_EQ(tools::hex_text(empty.finish()),
		  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");

	tools::Sha256 abc;
	abc.add(std::as_bytes(std::span("a", 1)));
	abc.add(std::as_bytes(std::span("bc", 2)));
	EXPECT_EQ(tools::hex_text(abc.finish()),
		  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(DatText, NamesTypeAndSubtype)
{
	EXPECT_NE(tools::dat_text(DAT_ERROR(DAT_PROVIDER_NOT_FOUND, DAT_NAME_NOT_REGISTERED))
			  .find("PROVIDER_NOT_FOUND"),
		  std::string::npos);
	EXPECT_THROW(tools::check(DAT_ERROR(DAT_INVALID_STATE, 0), "do it"), tools::Error);
	EXPECT_NO_THROW(tools::check(DAT_SUCCESS, "do it"));
}
