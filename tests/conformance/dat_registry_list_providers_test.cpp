// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_registry_list_providers(3DAT)

#include "play.hpp"
#include "registry.hpp"
#include "result.hpp"
#include "settings.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace suite {
namespace {

/* "obtain a list of available Providers from the Static Registry": which all open */
TEST(DatRegistryListProviders, DescriptionWhatIsListedCanBeOpened)
{
	play([](Line &) {
		ASSERT_FALSE(listed().empty());
		for (const std::string &name : listed())
			open_and_close(name);
	});
}

/* "the Interface Adapter name, the ... API version supported, and whether ... thread-safe" */
TEST(DatRegistryListProviders, DescriptionInformation)
{
	play([](Line &) {
		const DatConf conf(conf_line("one", adapter_name(), "libdapl_kdapl.so.1") +
				   conf_line("two", "", "libx.so", "u1.3 nonthreadsafe default"));
		DAT_PROVIDER_INFO one, two;
		DAT_PROVIDER_INFO *list[] = { &one, &two };
		DAT_COUNT count = -1;

		ok(dat_registry_list_providers(2, &count, list));
		EXPECT_EQ(count, 2);
		EXPECT_STREQ(one.ia_name, "one");
		EXPECT_EQ(one.dapl_version_major, 1U);
		EXPECT_EQ(one.dapl_version_minor, 2U);
		EXPECT_EQ(one.is_thread_safe, DAT_TRUE);
		EXPECT_STREQ(two.ia_name, "two");
		EXPECT_EQ(two.dapl_version_major, 1U);
		EXPECT_EQ(two.dapl_version_minor, 3U);
		EXPECT_EQ(two.is_thread_safe, DAT_FALSE);
	});
}

/* "This operation has no effect on the Registry itself." */
TEST(DatRegistryListProviders, DescriptionNoEffect)
{
	play([](Line &) {
		const DatConf conf(conf_line("a") + conf_line("b"));

		EXPECT_EQ(listed(), (Names{ "a", "b" }));
		EXPECT_EQ(listed(), (Names{ "a", "b" }));
		EXPECT_EQ(told(), Names{}) << "nothing is loaded";
	});
}

/* "larger than the one the Consumer requests if no Provider entry matches exactly" */
TEST(DatRegistryListProviders, DescriptionLargerMinorVersionWillDo)
{
	play([](Line &) {
		const DatConf conf(conf_line("a", adapter_name(), "libdapl_kdapl.so.1",
					     "u1.3 threadsafe default"));

		EXPECT_EQ(listed(), Names{ "a" });
		open_and_close("a");
	});
}

/* ... and no smaller one, no other major one */
TEST(DatRegistryListProviders, DescriptionVersionsThatWillNotDo)
{
	play([](Line &) {
		const DatConf conf(conf_line("old", adapter_name(), "libdapl_kdapl.so.1",
					     "u1.1 threadsafe default") +
				   conf_line("new", adapter_name(), "libdapl_kdapl.so.1",
					     "u2.0 threadsafe default"));
		DAT_IA_HANDLE ia;

		EXPECT_EQ(listed(), (Names{ "old", "new" }));
		refused(open_ia("old", ia), DAT_PROVIDER_NOT_FOUND, DAT_MINOR_NOT_FOUND);
		refused(open_ia("new", ia), DAT_PROVIDER_NOT_FOUND, DAT_MAJOR_NOT_FOUND);
	});
}

/* "number_entries indicates the number of entries filled": no others are touched */
TEST(DatRegistryListProviders, DescriptionNumberOfEntriesFilled)
{
	play([](Line &) {
		const DatConf conf(conf_line("a"));
		std::array<DAT_PROVIDER_INFO, 2> infos;
		DAT_PROVIDER_INFO *list[] = { &infos[0], &infos[1], nullptr };
		DAT_COUNT count = -1;

		std::memset(&infos, 0x55, sizeof infos);
		ok(dat_registry_list_providers(3, &count, list));
		EXPECT_EQ(count, 1);
		EXPECT_EQ(infos[1].ia_name[0], 0x55);
	});
}

/* "information will be copied to the destination specified": pointers, to anywhere */
TEST(DatRegistryListProviders, ParametersListOfPointers)
{
	play([](Line &) {
		const DatConf conf(conf_line("a") + conf_line("b"));
		DAT_PROVIDER_INFO first, second;
		DAT_PROVIDER_INFO *list[] = { &second, &first };
		DAT_COUNT count = -1;

		ok(dat_registry_list_providers(2, &count, list));
		EXPECT_STREQ(second.ia_name, "a");
		EXPECT_STREQ(first.ia_name, "b");
	});
}

/* "DAT_NAME_MAX_LENGTH includes the null character" */
TEST(DatRegistryListProviders, UsageLongestName)
{
	play([](Line &) {
		const std::string name(DAT_NAME_MAX_LENGTH - 1, 'n');
		const DatConf conf(conf_line(name) + conf_line(name + 'n') + conf_line("b"));

		EXPECT_EQ(listed(), (Names{ name, "b" }));
	});
}

/* dat.conf(4): comments, quotes and escapes; a broken line costs that line only */
TEST(DatRegistryListProviders, DescriptionStaticRegistryIsReadWithCare)
{
	play([](Line &) {
		const DatConf conf(
			"# a comment\n"
			"\n"
			"a u1.2 threadsafe default liba.so a.1.0 \"x # y\" \"\" # more\n"
			"broken u1.2 threadsafe default liba.so a.1.0 \"\"\n"
			"\tb  u1.2\tthreadsafe default \"lib \\\"b\\\\.so\" b.1.0 \"\" \"\"\n"
			"c u1.2 unsafe default libc.so c.1.0 \"\" \"\"\n"
			"d u1.2 threadsafe default libd.so d.1.0 \"\" \"\"");
		const std::string place = conf.path().string() + ':';

		testing::internal::CaptureStderr();
		EXPECT_EQ(listed(), (Names{ "a", "b", "d" }));
		const std::string warned = testing::internal::GetCapturedStderr();
		EXPECT_NE(warned.find(place + "4: line skipped: 7 fields"), std::string::npos)
			<< warned;
		EXPECT_NE(warned.find(place + "6: line skipped: "), std::string::npos) << warned;
		EXPECT_EQ(std::count(warned.begin(), warned.end(), '\n'), 2) << warned;
	});
}

/* "dat_provider_list is too small", "number_entries returns the number of entries" */
TEST(DatRegistryListProviders, InvalidParameterListIsTooSmall)
{
	play([](Line &) {
		const DatConf conf(conf_line("a") + conf_line("b"));
		DAT_PROVIDER_INFO info;
		DAT_PROVIDER_INFO *list[] = { &info, &info };

		for (DAT_COUNT most : { 0, 1 }) {
			DAT_COUNT count = -1;
			refused(dat_registry_list_providers(most, &count, list),
				DAT_INVALID_PARAMETER, DAT_INVALID_ARG1);
			EXPECT_EQ(count, 2);
		}
	});
}

/* "including pointing to NULL" */
TEST(DatRegistryListProviders, InvalidParameterListIsNull)
{
	play([](Line &) {
		const DatConf conf(conf_line("a") + conf_line("b"));
		DAT_PROVIDER_INFO info;
		DAT_PROVIDER_INFO *list[] = { &info, nullptr };
		DAT_COUNT count = -1;

		refused(dat_registry_list_providers(2, &count, nullptr), DAT_INVALID_PARAMETER,
			DAT_INVALID_ARG3);
		EXPECT_EQ(count, 2);
		count = -1;
		refused(dat_registry_list_providers(2, &count, list), DAT_INVALID_PARAMETER,
			DAT_INVALID_ARG3);
		EXPECT_EQ(count, 2);
	});
}

TEST(DatRegistryListProviders, InvalidParameter)
{
	play([](Line &) {
		DAT_PROVIDER_INFO info;
		DAT_PROVIDER_INFO *list[] = { &info };
		DAT_COUNT count;

		refused(dat_registry_list_providers(-1, &count, list), DAT_INVALID_PARAMETER,
			DAT_INVALID_ARG1);
		refused(dat_registry_list_providers(1, nullptr, list), DAT_INVALID_PARAMETER,
			DAT_INVALID_ARG2);
	});
}

/* "The DAT static registry is missing.": one that somebody asked for */
TEST(DatRegistryListProviders, InternalErrorRegistryIsMissing)
{
	play([](Line &) {
		const DatConf conf("");
		DAT_PROVIDER_INFO info;
		DAT_PROVIDER_INFO *list[] = { &info };
		DAT_COUNT count = -1;

		std::filesystem::remove(conf.path());
		refused(dat_registry_list_providers(1, &count, list), DAT_INTERNAL_ERROR,
			DAT_NO_SUBTYPE);
	});
}

} // namespace
} // namespace suite
