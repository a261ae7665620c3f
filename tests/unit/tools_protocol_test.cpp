// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What the tools' protocols make of messages, good ones and hostile ones.

#include "datcp/protocol.hpp"
#include "datping/protocol.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

using Bytes = std::vector<std::byte>;

/* Private data arrives padded with zeros over some transports. */
static Bytes padded(Bytes bytes, std::size_t size = 56)
{
	bytes.resize(size);
	return bytes;
}

TEST(PingHello, SurvivesTheWirePadded)
{
	ping::Hello sent;
	sent.mode = ping::Mode::Read;
	sent.verify = ping::Verify::Ends;
	sent.poll = true;
	sent.size = 0x01020304;
	sent.depth = 77;
	sent.count = 0x1122334455667788;

	EXPECT_LE(sent.encode().size(), 56U);
	auto got = ping::Hello::decode(padded(sent.encode()));
	ASSERT_TRUE(got);
	EXPECT_EQ(got->mode, sent.mode);
	EXPECT_EQ(got->verify, sent.verify);
	EXPECT_EQ(got->poll, sent.poll);
	EXPECT_EQ(got->size, sent.size);
	EXPECT_EQ(got->depth, sent.depth);
	EXPECT_EQ(got->count, sent.count);
}

TEST(PingHello, RefusesWhatIsCutOffOrForeign)
{
	Bytes good = ping::Hello{}.encode();

	for (std::size_t size = 0; size < good.size(); size++)
		EXPECT_FALSE(ping::Hello::decode(std::span(good).first(size))) << size;
	for (std::size_t at : { 0, 3, 4, 5, 6, 7, 8, 9 }) {
		Bytes bad = good;
		bad[at] = std::byte{ 0xee };
		EXPECT_FALSE(ping::Hello::decode(bad)) << at;
	}
	EXPECT_FALSE(ping::Hello::decode(Bytes(56)));
}

TEST(PingHello, BoundsWhatAClientMayAsk)
{
	auto asks = [](ping::Mode mode, std::uint32_t size, std::uint32_t depth,
		       std::uint64_t count) {
		ping::Hello hello;
		hello.mode = mode;
		hello.size = size;
		hello.depth = depth;
		hello.count = count;
		return hello.acceptable();
	};
	using ping::Mode;

	EXPECT_TRUE(asks(Mode::Send, 64, 1, 1));
	EXPECT_TRUE(asks(Mode::Send, 0, 1, 1));
	EXPECT_TRUE(asks(Mode::Write, 65536, 64, 1000));
	EXPECT_FALSE(asks(Mode::Write, 0, 1, 1));
	EXPECT_FALSE(asks(Mode::Read, 64, 0, 1));
	EXPECT_FALSE(asks(Mode::Read, 64, 1, 0));
	EXPECT_FALSE(asks(Mode::Read, 64, ping::max_depth + 1, 1));
	EXPECT_FALSE(asks(Mode::Send, 1U << 30, 1, 1));
	EXPECT_FALSE(asks(Mode::Write, UINT32_MAX, UINT32_MAX, UINT64_MAX));
	EXPECT_FALSE(asks(Mode::Write, 1U << 20, ping::max_depth, 1));
}

TEST(PingHello, KnowsWhichMessagesAreVerified)
{
	ping::Hello hello;
	hello.count = 3;

	hello.verify = ping::Verify::Ends;
	EXPECT_TRUE(hello.verified(0));
	EXPECT_FALSE(hello.verified(1));
	EXPECT_TRUE(hello.verified(2));
	hello.verify = ping::Verify::None;
	EXPECT_FALSE(hello.verified(0));
	hello.verify = ping::Verify::All;
	EXPECT_TRUE(hello.verified(1));
}

TEST(PingControl, SurvivesTheWire)
{
	Bytes wire(ping::Control::wire_size);
	ping::Control sent{ ping::Kind::Window, 5, 0x1122334455667788, 0xa1b2c3d4 };

	sent.encode(wire);
	auto got = ping::Control::decode(wire);
	ASSERT_TRUE(got);
	EXPECT_EQ(got->kind, sent.kind);
	EXPECT_EQ(got->sequence, sent.sequence);
	EXPECT_EQ(got->address, sent.address);
	EXPECT_EQ(got->context, sent.context);
}

TEST(PingControl, RefusesNonsense)
{
	Bytes good(ping::Control::wire_size);
	ping::Control{ ping::Kind::Finish }.encode(good);

	EXPECT_FALSE(ping::Control::decode(std::span(good).first(good.size() - 1)));
	EXPECT_FALSE(ping::Control::decode(padded(good, good.size() + 1)));
	Bytes bad = good;
	bad[7] = std::byte{ 0 };
	EXPECT_FALSE(ping::Control::decode(bad));
	bad[7] = std::byte{ 200 };
	EXPECT_FALSE(ping::Control::decode(bad));
}

TEST(CopyHello, SurvivesTheWirePadded)
{
	copy::Hello sent;
	sent.mode = copy::Mode::Send;
	sent.slots = 16;
	sent.chunk = 123456;

	auto got = copy::Hello::decode(padded(sent.encode()));
	ASSERT_TRUE(got);
	EXPECT_EQ(got->mode, sent.mode);
	EXPECT_EQ(got->slots, sent.slots);
	EXPECT_EQ(got->chunk, sent.chunk);
	EXPECT_TRUE(got->acceptable());
}

TEST(CopyHello, BoundsWhatASenderMayAsk)
{
	auto asks = [](std::uint16_t slots, std::uint32_t chunk) {
		copy::Hello hello;
		hello.slots = slots;
		hello.chunk = chunk;
		return hello.acceptable();
	};

	EXPECT_TRUE(asks(1, copy::min_chunk));
	EXPECT_TRUE(asks(copy::max_slots, copy::max_chunk));
	EXPECT_FALSE(asks(0, copy::min_chunk));
	EXPECT_FALSE(asks(copy::max_slots + 1, copy::min_chunk));
	EXPECT_FALSE(asks(4, copy::min_chunk - 1));
	EXPECT_FALSE(asks(4, copy::max_chunk + 1));
	EXPECT_FALSE(asks(UINT16_MAX, UINT32_MAX));
}

static Bytes message(copy::Header header, std::size_t body)
{
	Bytes bytes(copy::Header::wire_size + body);

	header.body = static_cast<std::uint32_t>(body);
	header.encode(bytes);
	return bytes;
}

TEST(CopyHeader, SurvivesTheWire)
{
	copy::Header sent{ copy::Kind::End };
	sent.detail = 0755;
	sent.sequence = 0x1122334455667788;
	sent.length = 0x99aabbccddeeff00;
	sent.digest[0] = std::byte{ 1 };
	sent.digest[31] = std::byte{ 31 };

	auto got = copy::Header::decode(message(sent, 10));
	ASSERT_TRUE(got);
	EXPECT_EQ(got->kind, sent.kind);
	EXPECT_EQ(got->detail, sent.detail);
	EXPECT_EQ(got->body, 10U);
	EXPECT_EQ(got->sequence, sent.sequence);
	EXPECT_EQ(got->length, sent.length);
	EXPECT_EQ(got->digest, sent.digest);
}

TEST(CopyHeader, TheBodyMustBeWhatArrived)
{
	Bytes good = message({ copy::Kind::File }, 20);

	EXPECT_TRUE(copy::Header::decode(good));
	for (std::size_t size = 0; size < good.size(); size++)
		EXPECT_FALSE(copy::Header::decode(std::span(good).first(size))) << size;
	EXPECT_FALSE(copy::Header::decode(padded(good, good.size() + 1)));
}

TEST(CopyHeader, OnlyDataMayBeLong)
{
	EXPECT_TRUE(copy::Header::decode(message({ copy::Kind::File }, copy::max_body)));
	EXPECT_FALSE(copy::Header::decode(message({ copy::Kind::File }, copy::max_body + 1)));
	EXPECT_FALSE(copy::Header::decode(message({ copy::Kind::Fail }, 100000)));
	EXPECT_TRUE(copy::Header::decode(message({ copy::Kind::Data }, 100000)));
}

TEST(CopyHeader, RefusesUnknownKinds)
{
	EXPECT_FALSE(copy::Header::decode(message({ copy::Kind{ 0 } }, 0)));
	EXPECT_FALSE(copy::Header::decode(message({ copy::Kind{ 11 } }, 0)));
	EXPECT_FALSE(copy::Header::decode(message({ copy::Kind{ UINT32_MAX } }, 0)));
}

TEST(CopyWindows, TheTableMustHaveEverySlot)
{
	copy::Hello hello;
	hello.slots = 2;
	std::vector<DAT_RMR_TRIPLET> sent(2);
	sent[0].rmr_context = 0xa1b2c3d4;
	sent[1].target_address = 0x1122334455667788;

	Bytes body = copy::encode_windows(sent);
	auto got = copy::decode_windows(body, hello);
	ASSERT_TRUE(got);
	EXPECT_EQ((*got)[0].rmr_context, sent[0].rmr_context);
	EXPECT_EQ((*got)[1].target_address, sent[1].target_address);
	EXPECT_EQ((*got)[1].segment_length, hello.chunk);

	EXPECT_FALSE(copy::decode_windows({}, hello));
	EXPECT_FALSE(copy::decode_windows(std::span(body).first(body.size() - 1), hello));
	EXPECT_FALSE(copy::decode_windows(padded(body, body.size() + 12), hello));
}

TEST(Protocols, RandomBytesAreNoMessages)
{
	std::mt19937 random(1);

	for (int i = 0; i < 20000; i++) {
		Bytes noise(random() % 200);
		for (auto &b : noise)
			b = static_cast<std::byte>(random());
		EXPECT_FALSE(ping::Hello::decode(noise));
		EXPECT_FALSE(ping::Control::decode(noise));
		EXPECT_FALSE(copy::Hello::decode(noise));
		EXPECT_FALSE(copy::Header::decode(noise));
	}
}
