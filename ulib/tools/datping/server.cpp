// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "server.hpp"

#include <fmt/format.h>

#include "../common/pattern.hpp"

namespace ping {

using tools::Error;
using tools::Pattern;

static Error nonsense(const char *what)
{
	return Error(fmt::format("the client does not keep to the protocol: {}", what));
}

/* Mode send: answers every message by one of the same size. */
static void echo(Session &session)
{
	const Hello &hello = session.hello;

	for (std::uint64_t sequence = 0; sequence < hello.count; sequence++) {
		tools::Message message = session.recvs.next(session.connection);
		if (message.bytes.size() != hello.size)
			throw nonsense("a message has another size than announced");
		if (hello.verified(sequence))
			session.verdict.look(to_server, sequence, message.bytes);
		session.recvs.repost(session.connection, message);
		auto answer = session.next_data().first(hello.size);
		if (hello.verified(sequence))
			Pattern{ to_client, sequence }.fill(answer);
		session.send_data();
	}
	if (session.next_control().kind != Kind::Finish)
		throw nonsense("more messages than announced");
}

/* Tells the client where the buffers are that it writes or reads. */
static void show_windows(Session &session)
{
	if (session.next_control().kind != Kind::Begin)
		throw nonsense("it does not begin");
	for (std::size_t i = 0; i < session.hello.depth; i++) {
		DAT_RMR_TRIPLET remote = session.data->remote(i);
		session.send({ Kind::Window, i, remote.target_address, remote.rmr_context });
	}
}

/* Modes write and read: looks at what was written, fills what will be read. */
static void attend(Session &session)
{
	const Hello &hello = session.hello;

	for (;;) {
		Control control = session.next_control();
		auto bytes = session.data->bytes(control.sequence % hello.depth);
		if (control.kind == Kind::Finish)
			return;
		if (control.sequence >= hello.count)
			throw nonsense("a message beyond the last");
		if (control.kind == Kind::Notify && hello.mode == Mode::Write) {
			session.verdict.look(to_server, control.sequence, bytes);
			session.send({ Kind::Acknowledge, control.sequence });
		} else if (control.kind == Kind::Fill && hello.mode == Mode::Read) {
			Pattern{ to_client, control.sequence }.fill(bytes);
			session.send({ Kind::Ready, control.sequence });
		} else {
			throw nonsense("a message of the wrong kind");
		}
	}
}

static tools::Waiting waiting_for(const Hello &hello, const ServerOptions &options)
{
	/* With nothing to verify there is nothing to do but wait for the end. */
	if (hello.mode != Mode::Send && hello.verify == Verify::None)
		return tools::Waiting::Sleep;
	if (options.waiting)
		return *options.waiting;
	return hello.poll ? tools::Waiting::Poll : tools::Waiting::Sleep;
}

static DAT_MEM_PRIV_FLAGS access_for(Mode mode)
{
	return mode == Mode::Write ? tools::remote_writable : tools::remote_readable;
}

Served serve(const tools::Adapter &adapter, tools::Request request, const ServerOptions &options)
{
	auto hello = Hello::decode(request.private_data);

	if (!hello)
		throw Error("refused: it is no datping, or one of another version");
	if (!hello->acceptable())
		throw Error(fmt::format("refused: size {}, count {} and depth {} are beyond what a "
					"server takes ({} MiB of buffers, depth {})",
					hello->size, hello->count, hello->depth,
					max_memory / (1 << 20), max_depth));

	Session session(adapter, *hello, access_for(hello->mode), waiting_for(*hello, options));
	if (hello->mode == Mode::Read) {
		for (std::size_t i = 0; i < hello->depth; i++)
			Pattern{ to_client, i }.fill(session.data->bytes(i));
	}
	session.connection.accept(request, {}, options.timeout);
	session.connection.set_idle_limit(options.idle);
	if (hello->mode == Mode::Send) {
		echo(session);
	} else {
		show_windows(session);
		/* While unverified data moves by RDMA, the server hears nothing of it. */
		if (hello->verify != Verify::All)
			session.connection.set_idle_limit({});
		attend(session);
	}
	session.send({ Kind::Result, session.verdict.verified, session.verdict.wrong });
	session.connection.wait_disconnected(options.timeout);
	return { *hello, session.verdict };
}

} // namespace ping
