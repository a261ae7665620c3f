// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An iSER initiator over uDAPL that does what it is told, right or wrong: messages
 * are bytes, and nothing about them is checked on the way out.
 */
#pragma once

#include "endpoint.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iscsi {

using Bytes = std::vector<unsigned char>;
using std::chrono::milliseconds;

/* Opcodes of requests, as they stand in a PDU's first byte. */
enum Request : unsigned char {
	nop_out = 0x00,
	command = 0x01,
	task_management = 0x02,
	login = 0x03,
	text = 0x04,
	data_out = 0x05,
	logout = 0x06,
	snack = 0x10,
};

/* Opcodes of answers. */
enum Answer : unsigned char {
	nop_in = 0x20,
	response = 0x21,
	task_response = 0x22,
	login_response = 0x23,
	text_response = 0x24,
	logout_response = 0x26,
	reject = 0x3f,
};

constexpr unsigned char immediate = 0x40; /* in the first byte: not in the order of commands */
constexpr unsigned char final_flag = 0x80; /* in the second byte */
constexpr unsigned char read_flag = 0x40, write_flag = 0x20;

constexpr std::size_t iser_size = 28, header_size = 48, both_size = iser_size + header_size;
constexpr std::uint32_t no_tag = 0xffffffff;
constexpr std::uint32_t block_size = 512;

/* A message: iSER's header, iSCSI's header, and what follows them. */
struct Message {
	unsigned char iser_flags = 0x10;
	std::optional<DAT_RMR_TRIPLET> write, read; /* memory that the target may read, write */
	std::array<unsigned char, header_size> header{};
	Bytes data;

	explicit Message(unsigned char opcode, unsigned char flags = final_flag);

	Message &u8(std::size_t offset, unsigned char value);
	Message &u16(std::size_t offset, std::uint16_t value);
	Message &u24(std::size_t offset, std::uint32_t value);
	Message &u32(std::size_t offset, std::uint32_t value);

	/* Data, and its length in the header; padded to words. */
	Message &with(std::string_view bytes);
	Bytes bytes() const;
};

/* An answer as it came, with its iSER header; a byte that is not there is 0. */
class Received {
public:
	explicit Received(Bytes bytes) : bytes_(std::move(bytes)) {}

	unsigned char opcode() const { return u8(0) & 0x3f; }
	unsigned char u8(std::size_t offset) const;
	std::uint32_t u32(std::size_t offset) const;
	std::string data() const;

private:
	Bytes bytes_;
};

/* What iSER's initiator says of itself when it connects. */
constexpr std::string_view hello{ "\xc0\0\0\0", 4 };

class Connection {
public:
	explicit Connection(const suite::Adapter &adapter, DAT_COUNT requests = 64);

	/* False where the target refuses. */
	bool connect(std::string_view private_data = hello);

	/* Sends; nothing waits for it to be done. False once the connection is over. */
	bool send(const Bytes &bytes);
	bool send(const Message &message) { return send(message.bytes()); }

	/* The next answer; none when the connection is over or the time is. */
	std::optional<Received> receive(milliseconds limit = patience);
	/* The next answer with this opcode, whatever comes before it. */
	std::optional<Received> receive(Answer opcode, milliseconds limit = patience);

	/* Whether the target ends the connection, whatever it says before. */
	bool dropped(milliseconds limit = patience);
	/* Whether it does, or says no. */
	bool refused(milliseconds limit = patience);

	bool over() const { return over_; }
	void leave(DAT_CLOSE_FLAGS flags = DAT_CLOSE_ABRUPT_FLAG);

	/* Memory for the target's RDMA. */
	suite::Region &memory() { return memory_; }
	DAT_RMR_TRIPLET remote(std::size_t length) const { return memory_.remote(0, length); }

	/* Longer than any time limit that LIO has for a login. */
	static constexpr milliseconds patience{ 60'000 };

private:
	bool await_event(std::chrono::steady_clock::time_point deadline);
	void take(const DAT_EVENT &event);
	void post_receive(std::size_t slot);

	static constexpr std::size_t slot_size = 16384, receive_slots = 64;

	suite::Region sends_, receives_, memory_;
	suite::Endpoint endpoint_;
	std::vector<std::size_t> free_sends_;
	std::vector<Received> arrived_;
	bool over_ = true, connected_ = false;
};

/* A session with one connection, and what it counts. */
class Session {
public:
	Session(const suite::Adapter &adapter, DAT_COUNT requests = 64)
		: connection(adapter, requests)
	{
	}

	/* The PDU of a login in one step. */
	Message login_request(const std::string &keys) const;
	/* Keys of a normal login to the target. */
	static std::string keys();
	static std::string discovery_keys();

	/*
	 * Connects and logs in; the class of the status, 0 for success, or none. Answers are
	 * what it says to keys that the target proposes: then the first request is not the last.
	 */
	std::optional<unsigned> log_in(const std::string &text = keys(),
				       const std::string &answers = "");

	/* Commands to the disk; the caller sends them. */
	Message test_unit_ready();
	Message transfer(unsigned char flags, std::uint32_t blocks, std::uint32_t expected);
	Message read_blocks(std::uint32_t blocks);
	Message write_blocks(std::uint32_t blocks);
	/* Any other request of the session, with the next tag and sequence number. */
	Message request(unsigned char opcode, unsigned char flags = final_flag);

	/* The SCSI status of one command's end. */
	std::optional<unsigned> run(const Message &message);
	bool log_out();

	Connection connection;
	std::uint16_t isid = 1, tsih = 0;
	std::uint32_t tag = 1, command_number = 1, status_number = 0;
};

/* The target's name. */
std::string target_name();

} // namespace iscsi
