// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "protocol.hpp"

#include "../common/wire.hpp"

namespace copy {

using tools::WireReader;
using tools::WireWriter;

/* "DCPH" and "DCPM" */
static constexpr std::uint32_t hello_magic = 0x44435048;
static constexpr std::uint32_t message_magic = 0x4443504d;
static constexpr std::uint16_t version = 2;
static constexpr std::size_t window_size = 12;

static_assert(max_slots * window_size <= max_body);

std::string_view name(Mode mode)
{
	switch (mode) {
	case Mode::Write:
		return "write";
	case Mode::Read:
		return "read";
	case Mode::Send:
		return "send";
	}
	return "unknown";
}

bool Hello::acceptable() const
{
	return slots >= 1 && slots <= max_slots && chunk >= min_chunk && chunk <= max_chunk;
}

std::vector<std::byte> Hello::encode() const
{
	std::vector<std::byte> bytes(wire_size);

	WireWriter(bytes)
		.put(hello_magic)
		.put(static_cast<std::uint16_t>(wire_size))
		.put(version)
		.put(static_cast<std::uint8_t>(mode))
		.put(std::uint8_t{ 0 })
		.put(slots)
		.put(chunk);
	return bytes;
}

std::optional<Hello> Hello::decode(std::span<const std::byte> bytes)
{
	WireReader in(bytes);
	Hello hello;

	bool known = in.get<std::uint32_t>() == hello_magic;
	known &= in.get<std::uint16_t>() == wire_size;
	known &= in.get<std::uint16_t>() == version;
	auto mode = in.get<std::uint8_t>();
	in.get<std::uint8_t>();
	hello.slots = in.get<std::uint16_t>();
	hello.chunk = in.get<std::uint32_t>();
	if (!in.ok() || !known || mode < static_cast<std::uint8_t>(Mode::Write) ||
	    mode > static_cast<std::uint8_t>(Mode::Send))
		return std::nullopt;
	hello.mode = static_cast<Mode>(mode);
	return hello;
}

void Header::encode(std::span<std::byte> room) const
{
	WireWriter(room)
		.put(message_magic)
		.put(static_cast<std::uint32_t>(kind))
		.put(detail)
		.put(body)
		.put(sequence)
		.put(length)
		.put_bytes(digest);
}

std::optional<Header> Header::decode(std::span<const std::byte> message)
{
	WireReader in(message);

	bool known = in.get<std::uint32_t>() == message_magic;
	auto kind = in.get<std::uint32_t>();
	Header header{ static_cast<Kind>(kind) };
	header.detail = in.get<std::uint32_t>();
	header.body = in.get<std::uint32_t>();
	header.sequence = in.get<std::uint64_t>();
	header.length = in.get<std::uint64_t>();
	auto digest = in.get_bytes(header.digest.size());
	std::copy(digest.begin(), digest.end(), header.digest.begin());
	if (!in.ok() || !known || message.size() - wire_size != header.body ||
	    kind < static_cast<std::uint32_t>(Kind::Begin) ||
	    kind > static_cast<std::uint32_t>(Kind::Bye))
		return std::nullopt;
	if (header.kind != Kind::Data && header.body > max_body)
		return std::nullopt;
	return header;
}

std::vector<std::byte> encode_windows(std::span<const DAT_RMR_TRIPLET> windows)
{
	std::vector<std::byte> body(windows.size() * window_size);
	WireWriter out(body);

	for (const auto &window : windows)
		out.put(window.rmr_context).put(window.target_address);
	return body;
}

std::optional<std::vector<DAT_RMR_TRIPLET>> decode_windows(std::span<const std::byte> body,
							   const Hello &hello)
{
	std::vector<DAT_RMR_TRIPLET> windows(hello.slots);
	WireReader in(body);

	if (body.size() != hello.slots * window_size)
		return std::nullopt;
	for (auto &window : windows) {
		window.rmr_context = in.get<std::uint32_t>();
		window.target_address = in.get<std::uint64_t>();
		window.segment_length = hello.chunk;
	}
	return windows;
}

} // namespace copy
