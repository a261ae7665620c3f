// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the two sides of datping say to each other.
 *
 * The client's connection request carries a Hello. The client also speaks first,
 * because iWARP forbids it to the side that was connected to: over write and read
 * it says Begin, and the server names its buffers in Window messages. In mode send, the messages
 * are the test itself: the client's number `sequence` is answered by the
 * server's. In mode write, every message to be verified is followed by a Notify
 * and answered by an Acknowledge, after which its buffer may be written again;
 * in mode read, a buffer is refilled on a Fill, answered by a Ready. A Finish is
 * answered by the server's Result, and then the client disconnects.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ping {

/** How data moves. */
enum class Mode : std::uint8_t { Send = 1, Write, Read };

/** Which messages are filled with the pattern and looked at. */
enum class Verify : std::uint8_t { None, Ends, All };

std::string_view name(Mode mode);
std::string_view name(Verify verify);

/** The streams that keep the patterns of the two directions apart. */
inline constexpr std::uint64_t to_server = 1;
inline constexpr std::uint64_t to_client = 2;

/** Messages beside the data. */
enum class Kind : std::uint32_t {
	Begin = 1, /**< the client is connected */
	Window, /**< sequence: slot; address, context: where it is */
	Notify, /**< sequence: of the message that was written */
	Acknowledge, /**< sequence: of the message that was looked at */
	Fill, /**< sequence: of the message to be read next from its slot */
	Ready, /**< sequence: of the message that can be read */
	Finish, /**< the client is done */
	Result, /**< sequence: messages verified; address: how many were wrong */
};

/** A message beside the data. */
struct Control {
	Kind kind;
	std::uint64_t sequence = 0;
	std::uint64_t address = 0;
	std::uint32_t context = 0;

	static constexpr std::size_t wire_size = 28;

	/** Writes wire_size bytes. */
	void encode(std::span<std::byte> room) const;
	static std::optional<Control> decode(std::span<const std::byte> bytes);
};

/** What the client wants, in the private data of its request. */
struct Hello {
	Mode mode = Mode::Send;
	Verify verify = Verify::All;
	bool poll = false;
	std::uint32_t size = 64;
	std::uint32_t depth = 1;
	std::uint64_t count = 1000;

	static constexpr std::size_t wire_size = 32;

	/** Whether this message is filled and checked. */
	bool verified(std::uint64_t sequence) const;
	/** Receives and sends that each side keeps buffers for, and their size. @{ */
	std::size_t recv_slots() const;
	std::size_t send_slots() const;
	std::size_t slot_size() const;
	/** @} */
	/** Whether the values are within what a server takes. */
	bool acceptable() const;
	/** Bytes of buffers that each end needs. */
	double memory() const;
	std::vector<std::byte> encode() const;
	/** Nothing, when the bytes are not a Hello of this version. */
	static std::optional<Hello> decode(std::span<const std::byte> bytes);
};

/** Bounds on what one client may make a server allocate. */
inline constexpr std::uint32_t max_depth = 4096;
inline constexpr double max_memory = 256U << 20;

} // namespace ping
