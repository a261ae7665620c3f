// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the two sides of datcp say to each other.
 *
 * The sender's connection request carries a Hello. Whoever owns the memory that
 * RDMA touches (the receiver in mode write, the sender in mode read) then names
 * its slots in a Window message. For each file the sender announces it (File),
 * the receiver agrees (Accept), the data moves in chunks, the sender tells the
 * checksum (End), and the receiver answers with its own (Done) once the file
 * has its final name. A Bye ends it all; a Fail with a text ends it early.
 *
 * Chunk number `sequence` goes through slot `sequence` modulo the number of
 * slots and is announced by a Data message: in mode write after the chunk was
 * written into the receiver's slot, in mode read when it can be read from the
 * sender's slot; in mode send the chunk follows in the same message. A Credit
 * answers it when the slot is free again.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <dat/udat.h>

#include "../common/sha256.hpp"

namespace copy {

/** How data moves. */
enum class Mode : std::uint8_t { Write = 1, Read, Send };

std::string_view name(Mode mode);

/** How the two sides move data, in the private data of the sender's request. */
struct Hello {
	Mode mode = Mode::Write;
	std::uint16_t slots = 4;
	std::uint32_t chunk = 1U << 20;

	static constexpr std::size_t wire_size = 16;

	/** Whether the values are within what a receiver takes. */
	bool acceptable() const;
	std::vector<std::byte> encode() const;
	/** Nothing, when the bytes are not a Hello of this version. */
	static std::optional<Hello> decode(std::span<const std::byte> bytes);
};

/** Bounds on what a sender may make a receiver allocate. */
inline constexpr std::uint16_t max_slots = 16;
inline constexpr std::uint32_t min_chunk = 4096;
inline constexpr std::uint32_t max_chunk = 4U << 20;

/** Longest body of a message other than Data: a name, a text, a table. */
inline constexpr std::size_t max_body = 256;

enum class Kind : std::uint32_t {
	Begin = 1, /**< the sender's first word, in mode write */
	Window, /**< body: see encode_windows() */
	File, /**< length: bytes; detail: permission bits; body: name */
	Accept,
	Data, /**< sequence; length: bytes; body: the chunk, in mode send */
	Credit, /**< sequence */
	End, /**< length: bytes; digest */
	Done, /**< digest */
	Fail, /**< body: text */
	Bye,
};

/** The fixed part of every message; a body of `body` bytes follows it. */
struct Header {
	Kind kind;
	std::uint32_t detail = 0;
	std::uint32_t body = 0;
	std::uint64_t sequence = 0;
	std::uint64_t length = 0;
	tools::Digest digest{};

	static constexpr std::size_t wire_size = 64;

	/** Writes wire_size bytes. */
	void encode(std::span<std::byte> room) const;
	/** Nothing, when the message is malformed or its body is cut off. */
	static std::optional<Header> decode(std::span<const std::byte> message);
};

/** The body of a Window message: for each slot context and address. */
std::vector<std::byte> encode_windows(std::span<const DAT_RMR_TRIPLET> windows);
/** Nothing, unless the body names exactly this many slots. */
std::optional<std::vector<DAT_RMR_TRIPLET>> decode_windows(std::span<const std::byte> body,
							   const Hello &hello);

} // namespace copy
