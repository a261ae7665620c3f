// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the two sides of datping say to each other, as the program has it: datping.h, which
 * the server in the kernel uses as well, tells how and when.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "echo/datping.h"

namespace ping {

/** How data moves. */
enum class Mode : std::uint8_t { Send = DATPING_SEND, Write = DATPING_WRITE, Read = DATPING_READ };

/** Which messages are filled with the pattern and looked at. */
enum class Verify : std::uint8_t { None = DATPING_NONE, Ends = DATPING_ENDS, All = DATPING_ALL };

std::string_view name(Mode mode);
std::string_view name(Verify verify);

/** The streams that keep the patterns of the two directions apart. */
inline constexpr std::uint64_t to_server = DATPING_TO_SERVER;
inline constexpr std::uint64_t to_client = DATPING_TO_CLIENT;

/** Messages beside the data. */
enum class Kind : std::uint32_t {
	Begin = DATPING_BEGIN,
	Window = DATPING_WINDOW,
	Notify = DATPING_NOTIFY,
	Acknowledge = DATPING_ACKNOWLEDGE,
	Fill = DATPING_FILL,
	Ready = DATPING_READY,
	Finish = DATPING_FINISH,
	Result = DATPING_RESULT,
};

/** A message beside the data. */
struct Control {
	Kind kind;
	std::uint64_t sequence = 0;
	std::uint64_t address = 0;
	std::uint32_t context = 0;

	static constexpr std::size_t wire_size = sizeof(datping_control);

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

	static constexpr std::size_t wire_size = sizeof(datping_hello);

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
