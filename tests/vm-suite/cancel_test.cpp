// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Threads that are cancelled, with pthread_cancel(), within the library. */

#include "failure.hpp"
#include "settings.hpp"

#include <gtest/gtest.h>

#include <pthread.h>
#include <string>

namespace suite {
namespace {

struct Calls {
	std::string name = adapter_name();
	DAT_RETURN listed = DAT_INTERNAL_ERROR, opened = DAT_INTERNAL_ERROR;
	DAT_RETURN made = DAT_INTERNAL_ERROR, freed = DAT_INTERNAL_ERROR;
	DAT_RETURN closed = DAT_INTERNAL_ERROR;
};

/** Calls with open(), read(), pthread_join() and close() in them, which it does not survive. */
void *call_and_die(void *arg)
{
	auto &calls = *static_cast<Calls *>(arg);
	const DAT_OS_WAIT_PROXY_AGENT agent = { nullptr, [](DAT_PVOID, DAT_EVD_HANDLE) {} };
	DAT_PROVIDER_INFO info, *infos[] = { &info };
	DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
	DAT_CNO_HANDLE cno;
	DAT_IA_HANDLE ia;
	DAT_COUNT count;

	pthread_cancel(pthread_self());
	calls.listed = dat_registry_list_providers(1, &count, infos);
	calls.opened = dat_ia_open(calls.name.data(), 8, &async, &ia);
	if (calls.opened != DAT_SUCCESS)
		return nullptr;
	calls.made = dat_cno_create(ia, agent, &cno);
	if (calls.made == DAT_SUCCESS)
		calls.freed = dat_cno_free(cno);
	calls.closed = dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG);
	pthread_testcancel();
	return nullptr;
}

TEST(Cancel, IsDoneBehindTheCalls)
{
	Calls calls;
	pthread_t thread;
	void *result = nullptr;

	ASSERT_EQ(pthread_create(&thread, nullptr, call_and_die, &calls), 0);
	ASSERT_EQ(pthread_join(thread, &result), 0);
	EXPECT_EQ(result, PTHREAD_CANCELED);
	EXPECT_NE(calls.listed, DAT_INTERNAL_ERROR);
	ok(calls.opened);
	ok(calls.made);
	ok(calls.freed);
	ok(calls.closed);
}

} // namespace
} // namespace suite
