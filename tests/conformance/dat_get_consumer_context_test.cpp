// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_get_consumer_context(3DAT)

#include "every_object.hpp"
#include "play.hpp"
#include "result.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/* "The Consumer context was successfully retrieved": NULL where none was set */
TEST(DatGetConsumerContext, DescriptionEveryTypeBeginsWithNone)
{
	play([](Line &) {
		EveryObject objects;

		for (const auto &object : objects.list()) {
			DAT_CONTEXT context;
			context.as_64 = ~0ULL;
			ok(dat_get_consumer_context(object.handle, &context));
			EXPECT_EQ(context.as_ptr, nullptr) << object.type;
		}
	});
}

/* "the current value of the dat_handle context" */
TEST(DatGetConsumerContext, DescriptionCurrentValue)
{
	play([](Line &) {
		EveryObject objects;

		for (const auto &object : objects.list()) {
			DAT_CONTEXT set, got;
			set.as_64 = 0;
			set.as_ptr = &set;
			ok(dat_set_consumer_context(object.handle, set));
			for (int i = 0; i < 2; i++) {
				got.as_64 = 0;
				ok(dat_get_consumer_context(object.handle, &got));
				EXPECT_EQ(got.as_ptr, &set) << object.type;
			}
		}
	});
}

TEST(DatGetConsumerContext, InvalidHandle)
{
	play([](Line &) {
		EveryObject objects;
		DAT_CONTEXT context;

		refused(dat_get_consumer_context(DAT_HANDLE_NULL, &context), DAT_INVALID_HANDLE,
			DAT_INVALID_HANDLE1);
		objects.close();
		for (const auto &object : objects.list())
			refused(dat_get_consumer_context(object.handle, &context),
				DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
	});
}

TEST(DatGetConsumerContext, InvalidParameter)
{
	play([](Line &) {
		Adapter adapter;

		refused(dat_get_consumer_context(adapter.ia(), nullptr), DAT_INVALID_PARAMETER,
			DAT_INVALID_ARG2);
	});
}

} // namespace
} // namespace suite
