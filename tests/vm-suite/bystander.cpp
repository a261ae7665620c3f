// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "bystander.hpp"

#include "pair.hpp"

namespace suite {

namespace {

constexpr std::size_t size = 6007;

/** Out by a write, back by a read, and a message beside it. */
void move_data(Pair &pair, Region &here, Region &there, std::uint64_t round)
{
	fill(here.bytes(0, size), round);
	ok(pair.passive.recv(there.local(2 * size, 100), round));
	ok(pair.active.write(here.local(0, size), there.remote(0, size), 1));
	ok(pair.active.send(here.local(0, 100), 2));
	ok(pair.active.read(here.local(size, size), there.remote(0, size), 3));
	pair.active.expect_request(1, size);
	pair.active.expect_request(2, 100);
	pair.active.expect_request(3, size);
	pair.passive.expect_recv(round, 100);
	require_pattern(here.bytes(size, size), round);
	require_pattern(there.bytes(2 * size, 100), round);
}

void mind_own_business(Line &line)
{
	Adapter adapter;
	Pair pair(adapter);
	Region here(adapter, 3 * size), there(adapter, 3 * size);
	std::uint64_t round = 0;

	move_data(pair, here, there, round++);
	line.tell();
	do
		move_data(pair, here, there, round++);
	while (!line.ready());
	line.await();
	move_data(pair, here, there, round++);
	pair.active.connect_queue().require_empty();
	pair.passive.connect_queue().require_empty();
}

} // namespace

void play_hostile(const std::function<void()> &attack)
{
	play(
		[&](Line &line) {
			line.await();
			attack();
			line.tell();
			line.await_end();
		},
		mind_own_business);
}

} // namespace suite
