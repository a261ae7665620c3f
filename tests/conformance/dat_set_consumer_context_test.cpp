// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_set_consumer_context(3DAT)

#include "every_object.hpp"
#include "play.hpp"
#include "result.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

DAT_CONTEXT make_context(DAT_UINT64 value)
{
	DAT_CONTEXT context;

	context.as_64 = value;
	return context;
}

DAT_UINT64 context_of(DAT_HANDLE handle)
{
	DAT_CONTEXT context = make_context(~0ULL);

	ok(dat_get_consumer_context(handle, &context));
	return context.as_64;
}

/* "associates a Consumer context with the specified dat_handle": of every type */
TEST(DatSetConsumerContext, DescriptionEveryTypeHasItsOwn)
{
	play([](Line &) {
		EveryObject objects;
		DAT_UINT64 value = 100;

		for (const auto &object : objects.list())
			ok(dat_set_consumer_context(object.handle, make_context(value++)));
		value = 100;
		for (const auto &object : objects.list())
			EXPECT_EQ(context_of(object.handle), value++) << object.type;
	});
}

/* "the new context replaces the old one" */
TEST(DatSetConsumerContext, DescriptionReplacesTheOldOne)
{
	play([](Line &) {
		EveryObject objects;

		for (const auto &object : objects.list()) {
			ok(dat_set_consumer_context(object.handle, make_context(1)));
			ok(dat_set_consumer_context(object.handle, make_context(2)));
			EXPECT_EQ(context_of(object.handle), 2U);
		}
	});
}

/* "disassociate the existing context by providing a NULL pointer" */
TEST(DatSetConsumerContext, DescriptionNullIsNone)
{
	play([](Line &) {
		Adapter adapter;
		DAT_CONTEXT context;

		ok(dat_set_consumer_context(adapter.pz(), make_context(1)));
		context.as_64 = 0;
		context.as_ptr = nullptr;
		ok(dat_set_consumer_context(adapter.pz(), context));
		EXPECT_EQ(context_of(adapter.pz()), 0U);
	});
}

/* "no check is made on its value" */
TEST(DatSetConsumerContext, InvalidParameterIsNoValue)
{
	play([](Line &) {
		Adapter adapter;

		for (DAT_UINT64 value : { ~0ULL, 1ULL << 63, 1ULL }) {
			ok(dat_set_consumer_context(adapter.ia(), make_context(value)));
			EXPECT_EQ(context_of(adapter.ia()), value);
		}
	});
}

TEST(DatSetConsumerContext, InvalidHandle)
{
	play([](Line &) {
		EveryObject objects;

		refused(dat_set_consumer_context(DAT_HANDLE_NULL, make_context(1)),
			DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
		objects.close();
		for (const auto &object : objects.list())
			refused(dat_set_consumer_context(object.handle, make_context(1)),
				DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
	});
}

} // namespace
} // namespace suite
