// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_get_handle_type(3DAT)

#include "every_object.hpp"
#include "play.hpp"
#include "result.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/* "discover the type of a DAT Object using its handle": of CNOs and SRQs, too */
TEST(DatGetHandleType, DescriptionEveryType)
{
	play([](Line &) {
		EveryObject objects;
		int next = 0;

		for (const auto &[handle, type] : objects.list()) {
			auto told = static_cast<DAT_HANDLE_TYPE>(-1);
			EXPECT_EQ(type, next++);
			ok(dat_get_handle_type(handle, &told));
			EXPECT_EQ(told, type);
		}
		EXPECT_EQ(next, DAT_HANDLE_TYPE_SRQ + 1);
	});
}

/* "calling an appropriate query": what an asynchronous event names */
TEST(DatGetHandleType, UsageAsyncEvdIsAnEvd)
{
	play([](Line &) {
		Adapter adapter;
		auto told = static_cast<DAT_HANDLE_TYPE>(-1);

		ok(dat_get_handle_type(adapter.async_evd(), &told));
		EXPECT_EQ(told, DAT_HANDLE_TYPE_EVD);
	});
}

/* "The dat_handle parameter is invalid.": none, freed, another's memory */
TEST(DatGetHandleType, InvalidHandle)
{
	play([](Line &) {
		DAT_HANDLE_TYPE type;
		EveryObject objects;
		std::uintptr_t words[4] = {};

		for (DAT_HANDLE other :
		     { DAT_HANDLE_NULL, static_cast<DAT_HANDLE>(words),
		       reinterpret_cast<DAT_HANDLE>(1), reinterpret_cast<DAT_HANDLE>(~0ULL) })
			refused(dat_get_handle_type(other, &type), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE1);
		objects.close();
		for (const auto &object : objects.list())
			refused(dat_get_handle_type(object.handle, &type), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE1);
	});
}

TEST(DatGetHandleType, InvalidParameter)
{
	play([](Line &) {
		Adapter adapter;

		refused(dat_get_handle_type(adapter.ia(), nullptr), DAT_INVALID_PARAMETER,
			DAT_INVALID_ARG2);
	});
}

} // namespace
} // namespace suite
