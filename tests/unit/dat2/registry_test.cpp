// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The registries of uDAPL 2.0, as far as they differ from those of 1.2: versions, names,
// what an IA is called, and our own provider for another registry.

#include "fake/dat_conf.hpp"
#include "fake/session.hpp"

#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <vector>

namespace {

using fake::is_error;
using Names = std::vector<std::string>;

/** What the test's provider told, in words. */
std::mutex told_mutex;
Names told;

std::string conf_line(const std::string &name, const std::string &library,
		      const std::string &api = "u2.0 nonthreadsafe default",
		      const std::string &instance = "")
{
	return name + ' ' + api + ' ' + library + " TEST.2.0 \"" + instance + "\" \"\"\n";
}

} // namespace

extern "C" [[gnu::visibility("default")]] void provider_told(const char *what, const char *ia_name,
							     DAT_RETURN ret);
void provider_told(const char *what, const char *ia_name, DAT_RETURN ret)
{
	std::lock_guard lock(told_mutex);

	told.push_back(std::string(what) + ' ' + ia_name + (ret == DAT_SUCCESS ? "" : " failed"));
}

namespace {

class Registry2 : public testing::Test {
protected:
	void SetUp() override
	{
		module.install();
		conf.use();
		told.clear();
	}
	void TearDown() override { EXPECT_FALSE(module.file_open); }
	/** As a program does that was compiled against the headers. */
	DAT_RETURN open(const char *name)
	{
		DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
		std::string writable = name;

		return dat_ia_open(writable.data(), 4, &async, &ia);
	}
	void close() { EXPECT_EQ(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS); }
	DAT_BOOLEAN told_thread_safety()
	{
		DAT_PROVIDER_ATTR attr{};

		EXPECT_EQ(dat_ia_query(ia, nullptr, 0, nullptr, DAT_PROVIDER_FIELD_ALL, &attr),
			  DAT_SUCCESS);
		EXPECT_EQ(attr.dapl_version_major, 2u);
		EXPECT_EQ(attr.dapl_version_minor, 0u);
		return attr.is_thread_safe;
	}
	Names list()
	{
		std::array<DAT_PROVIDER_INFO, 8> infos;
		std::array<DAT_PROVIDER_INFO *, 8> pointers;
		DAT_COUNT count = -1;
		Names names;

		for (std::size_t i = 0; i < infos.size(); i++)
			pointers[i] = &infos[i];
		EXPECT_EQ(dat_registry_list_providers(8, &count, pointers.data()), DAT_SUCCESS);
		for (std::size_t i = 0; i < static_cast<std::size_t>(count); i++)
			names.push_back(std::string(infos[i].ia_name) + ' ' +
					std::to_string(infos[i].dapl_version_major) + '.' +
					std::to_string(infos[i].dapl_version_minor) +
					(infos[i].is_thread_safe ? " safe" : ""));
		return names;
	}

	fake::DatConf conf;
	fake::Module module;
	DAT_IA_HANDLE ia = DAT_HANDLE_NULL;
};

/* As from the distribution's libdat2; programs with a list of fixed length rely on it. */
TEST_F(Registry2, AListThatIsTooShortGetsWhatFits)
{
	std::array<DAT_PROVIDER_INFO, 2> infos{};
	std::array<DAT_PROVIDER_INFO *, 2> pointers{ &infos[0], &infos[1] };
	DAT_COUNT count = -1;

	conf.write(conf_line("a", "libx.so.2") + conf_line("b", "libx.so.2") +
		   conf_line("c", "libx.so.2"));
	EXPECT_EQ(dat_registry_list_providers(1, &count, pointers.data()), DAT_SUCCESS);
	EXPECT_EQ(count, 1);
	EXPECT_STREQ(infos[0].ia_name, "a");
	EXPECT_STREQ(infos[1].ia_name, "");
	EXPECT_EQ(dat_registry_list_providers(2, &count, pointers.data()), DAT_SUCCESS);
	EXPECT_EQ(count, 2);
	EXPECT_STREQ(infos[1].ia_name, "b");
	for (DAT_COUNT none : { 0, -1 }) {
		count = -1;
		EXPECT_TRUE(is_error(dat_registry_list_providers(none, &count, pointers.data()),
				     DAT_INVALID_PARAMETER, DAT_INVALID_ARG1));
		EXPECT_EQ(count, 3);
	}
}

TEST_F(Registry2, WithoutAFileEveryDeviceIsThere)
{
	EXPECT_EQ(list(), (Names{ "fake0 2.0 safe" }));
	ASSERT_EQ(open("fake0"), DAT_SUCCESS);
	EXPECT_EQ(told_thread_safety(), DAT_TRUE);
	close();
	EXPECT_TRUE(
		is_error(open("RO_AWARE_fake0"), DAT_PROVIDER_NOT_FOUND, DAT_NAME_NOT_REGISTERED))
		<< "no prefix means anything";
}

/* Other registries find the adapter that is closed by what its provider says of it. */
TEST_F(Registry2, AnAdapterIsAsItsLineSays)
{
	conf.write(conf_line("one", "libdapl2_kdapl.so.2", "u2.0 nonthreadsafe default", "fake0") +
		   conf_line("two", "libdapl2_kdapl.so.2", "u2.0 threadsafe default", "fake0") +
		   conf_line("old", "libdapl_kdapl.so.1", "u1.2 threadsafe default", "fake0"));

	EXPECT_EQ(list(), (Names{ "one 2.0", "two 2.0 safe", "old 1.2 safe" }));
	ASSERT_EQ(open("one"), DAT_SUCCESS);
	EXPECT_EQ(told_thread_safety(), DAT_FALSE);
	EXPECT_STREQ(DAT_HANDLE_TO_PROVIDER(ia)->device_name, "one");
	close();
	ASSERT_EQ(open("two"), DAT_SUCCESS);
	EXPECT_EQ(told_thread_safety(), DAT_TRUE);
	close();
	EXPECT_TRUE(is_error(open("old"), DAT_PROVIDER_NOT_FOUND, DAT_MAJOR_NOT_FOUND));
}

TEST_F(Registry2, AProvidersIaHasTheNameThatItGave)
{
	DAT_IA_HANDLE other = DAT_HANDLE_NULL;
	sockaddr_in peer{};

	conf.write(conf_line("a", FOREIGN_PROVIDER));
	ASSERT_EQ(open("a"), DAT_SUCCESS);
	EXPECT_EQ(told, (Names{ "init a", "add a", "open a" }));
	ASSERT_EQ(dats_get_ia_handle(ia, &other), DAT_SUCCESS);
	EXPECT_EQ(other, ia);
	EXPECT_TRUE(is_error(
		dat_ep_common_connect(ia, reinterpret_cast<sockaddr *>(&peer), 1, 0, nullptr),
		DAT_NOT_IMPLEMENTED))
		<< "not in its table";
	EXPECT_TRUE(is_error(dat_extension_op(ia, 1), DAT_NOT_IMPLEMENTED));
	close();
	EXPECT_TRUE(is_error(dats_get_ia_handle(ia, &other), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_IA));
}

/* Its engine is another one, which asks the kernel's own module. */
TEST_F(Registry2, OurProviderRegistersAsItIsToldWhateverTheDevice)
{
	void *image = dlopen(OWN_PROVIDER, RTLD_NOW | RTLD_LOCAL);
	ASSERT_TRUE(image) << dlerror();
	const auto init =
		reinterpret_cast<DAT_PROVIDER_INIT_FUNC>(dlsym(image, DAT_PROVIDER_INIT_FUNC_STR));
	const auto fini =
		reinterpret_cast<DAT_PROVIDER_FINI_FUNC>(dlsym(image, DAT_PROVIDER_FINI_FUNC_STR));
	ASSERT_TRUE(init && fini);
	DAT_PROVIDER_INFO info{};
	std::strcpy(info.ia_name, "other0");
	info.dapl_version_major = 2;
	info.is_thread_safe = DAT_FALSE;

	init(&info, "no-such-device");
	EXPECT_EQ(list(), (Names{ "fake0 2.0 safe", "other0 2.0" }));
	EXPECT_NE(open("other0"), DAT_SUCCESS);
	fini(&info);
	EXPECT_EQ(list(), (Names{ "fake0 2.0 safe" }));
	dlclose(image);
}

} // namespace
