// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What a benchmark needs of an RDMA interface: one connection, one registered
 * piece of memory, two completion queues. Each program of the benchmark links
 * one implementation; what it measures (rows.cpp) is the same code for all.
 *
 * Errors are exceptions: a benchmark has no use for half a result.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace bench {

/** Where completions of sends, writes and reads go, and those of receives. */
enum class Queue { request, recv };

/** What the connection is made of. */
struct Config {
	bool server = false;
	std::string address; /**< the server's, IPv4 */
	std::string adapter; /**< name for the interfaces that open adapters by name */
	std::uint16_t port = 0;
	unsigned requests = 0; /**< requests posted at a time */
	unsigned recvs = 0; /**< receives posted at a time */
	unsigned reads = 0; /**< RDMA reads on the way at a time */
	std::size_t memory = 0; /**< bytes to register */
};

/** A program's registered memory, as its peer names it. */
struct Remote {
	std::uint64_t address;
	std::uint32_t key;
};

/** A piece of the own registered memory. */
struct Piece {
	std::size_t offset;
	std::uint32_t length;
};

class Transport {
public:
	/** Most completions that one call of poll() or wait() may be asked for. */
	static constexpr unsigned batch = 16;

	Transport() = default;
	Transport(const Transport &) = delete;
	Transport &operator=(const Transport &) = delete;
	/** Disconnects and frees everything. */
	virtual ~Transport() = default;

	/** Until the connection stands. Receives may be posted before. */
	virtual void connect() = 0;

	/**
	 * Until the peer has disconnected. Who ends a connection itself as soon as a
	 * message is there can be faster than the message's acknowledgement.
	 */
	virtual void await_end() = 0;

	virtual void post_send(Piece local) = 0;
	virtual void post_recv(Piece local) = 0;
	virtual void post_write(Piece local, Remote remote) = 0;
	virtual void post_read(Piece local, Remote remote) = 0;

	/** Take the completions there are, without waiting: 0 to @most. */
	virtual unsigned poll(Queue queue, unsigned most) = 0;
	/** Sleep until there are completions, and take them: 1 to @most. */
	virtual unsigned wait(Queue queue, unsigned most) = 0;

	/** The registered memory. */
	virtual std::byte *memory() = 0;
	/** The same, for the peer. */
	virtual Remote local() const = 0;
};

/** Name of the interface in results. */
extern const char *const transport_name;

/** Open, register, listen where it is the server; connect() does the rest. */
std::unique_ptr<Transport> make_transport(const Config &config);

} // namespace bench
