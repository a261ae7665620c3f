// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Both registries: what dat.conf lists, what providers register, which provider
// an adapter is opened with, and where calls on its handles go.

#include "fake/dat_conf.hpp"
#include "fake/session.hpp"

#include <dat/dat_registry.h>

#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <thread>

#include <sys/resource.h>

namespace {

using fake::is_error;

/** What test providers told, in words. */
std::mutex told_mutex;
std::vector<std::string> told;
DAT_RETURN last_added;

std::string conf_line(const std::string &name, const std::string &instance = "",
		      const std::string &library = FOREIGN_PROVIDER,
		      const std::string &api = "u1.2 nonthreadsafe default")
{
	return name + ' ' + api + ' ' + library + " TEST.1.0 \"" + instance + "\" \"\"\n";
}

} // namespace

extern "C" [[gnu::visibility("default")]] void provider_told(const char *what, const char *ia_name,
							     DAT_RETURN ret);
void provider_told(const char *what, const char *ia_name, DAT_RETURN ret)
{
	std::lock_guard lock(told_mutex);

	told.push_back(std::string(what) + ' ' + ia_name);
	if (!std::strcmp(what, "add"))
		last_added = ret;
}

namespace {

class Registered : public testing::Test {
protected:
	void SetUp() override
	{
		module.install();
		conf.use();
		told.clear();
	}
	void TearDown() override
	{
		EXPECT_FALSE(is_loaded(FOREIGN_PROVIDER));
		EXPECT_FALSE(module.file_open);
	}
	static bool is_loaded(const char *library)
	{
		void *image = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
		if (image)
			dlclose(image);
		return image;
	}
	DAT_RETURN open(const std::string &name, DAT_IA_HANDLE &ia, bool thread_safe = false,
			DAT_UINT32 minor = DAT_VERSION_MINOR, DAT_UINT32 major = DAT_VERSION_MAJOR)
	{
		DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
		std::string writable = name;
		ia = DAT_HANDLE_NULL;
		testing::internal::CaptureStderr();
		const DAT_RETURN ret = dat_ia_openv(writable.data(), 4, &async, &ia, major, minor,
						    thread_safe ? DAT_TRUE : DAT_FALSE);
		warned = testing::internal::GetCapturedStderr();
		return ret;
	}
	DAT_IA_HANDLE must_open(const std::string &name)
	{
		DAT_IA_HANDLE ia;
		EXPECT_EQ(open(name, ia), DAT_SUCCESS) << warned;
		return ia;
	}
	static void close(DAT_IA_HANDLE ia)
	{
		EXPECT_EQ(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
	}
	std::vector<std::string> list()
	{
		std::array<DAT_PROVIDER_INFO, 16> infos;
		std::array<DAT_PROVIDER_INFO *, 16> pointers;
		DAT_COUNT count = -1;
		for (std::size_t i = 0; i < infos.size(); i++)
			pointers[i] = &infos[i];
		EXPECT_EQ(dat_registry_list_providers(16, &count, pointers.data()), DAT_SUCCESS);
		std::vector<std::string> names;
		for (DAT_COUNT i = 0; i < count; i++) {
			const DAT_PROVIDER_INFO &info = infos[static_cast<std::size_t>(i)];
			names.push_back(std::string(info.ia_name) + ' ' +
					std::to_string(info.dapl_version_major) + '.' +
					std::to_string(info.dapl_version_minor) +
					(info.is_thread_safe ? " safe" : ""));
		}
		return names;
	}
	std::string place(unsigned line) const
	{
		return "libdat: " + conf.path().string() + ':' + std::to_string(line) + ": ";
	}

	fake::DatConf conf;
	fake::Module module;
	std::string warned;
};

using Names = std::vector<std::string>;

/* ---- Lists ---- */

TEST_F(Registered, DatConfIsWhatIsListed)
{
	module.adapters = { "rxe0" };
	conf.write(conf_line("a") + conf_line("b", "", "b.so", "u1.2 threadsafe default") +
		   conf_line("old", "", "o.so", "u1.1 threadsafe default") +
		   conf_line("new", "", "n.so", "u2.0 nonthreadsafe default") +
		   conf_line("hidden", "", "h.so", "u1.2 threadsafe nondefault") +
		   conf_line("kernel", "", "k.so", "k1.2 threadsafe default") +
		   conf_line("a", "second", "other.so"));

	EXPECT_EQ(list(), (Names{ "a 1.2", "b 1.2 safe", "old 1.1 safe", "new 2.0" }));
	EXPECT_FALSE(is_loaded(FOREIGN_PROVIDER)) << "listing loads nothing";
	conf.write("# nothing\n");
	EXPECT_EQ(list(), Names{});
	std::filesystem::remove(conf.path());
	EXPECT_EQ(list(), (Names{ "rxe0 1.2 safe" }));
}

TEST_F(Registered, TooShortAListTellsHowManyThereAre)
{
	DAT_PROVIDER_INFO info;
	DAT_PROVIDER_INFO *pointers[] = { &info, nullptr };
	DAT_COUNT count = -1;
	conf.write(conf_line("a") + conf_line("b"));

	EXPECT_TRUE(is_error(dat_registry_list_providers(0, &count, nullptr), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG1));
	EXPECT_EQ(count, 2);
	count = -1;
	EXPECT_TRUE(is_error(dat_registry_list_providers(-1, &count, nullptr),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG1));
	EXPECT_EQ(count, 2);
	EXPECT_TRUE(is_error(dat_registry_list_providers(1, &count, pointers),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG1));
	EXPECT_EQ(count, 2);
	EXPECT_TRUE(is_error(dat_registry_list_providers(2, &count, nullptr), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG3));
	EXPECT_EQ(count, 2);
	EXPECT_TRUE(is_error(dat_registry_list_providers(2, &count, pointers),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3))
		<< "one of the pointers is missing";
}

TEST_F(Registered, WithoutADescriptorNobodyKnowsWhatThereIs)
{
	DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
	rlimit usual, none;
	DAT_IA_HANDLE ia;
	char name[] = "fake0";

	ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &usual), 0);
	none = usual;
	none.rlim_cur = 0;
	for (const bool has_conf : { true, false }) {
		if (has_conf)
			conf.write(conf_line("fake0"));
		else
			std::filesystem::remove(conf.path());
		ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
		const DAT_RETURN ret = dat_ia_open(name, 1, &async, &ia);
		ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &usual), 0);
		EXPECT_TRUE(is_error(ret, DAT_INSUFFICIENT_RESOURCES)) << has_conf;
	}
}

TEST_F(Registered, AMissingRegistryIsAnInternalError)
{
	DAT_COUNT count = -1;
	DAT_IA_HANDLE ia;

	setenv("DAT_OVERRIDE", conf.path("missing.conf").c_str(), 1);
	testing::internal::CaptureStderr();
	EXPECT_TRUE(is_error(dat_registry_list_providers(0, &count, nullptr), DAT_INTERNAL_ERROR));
	EXPECT_NE(testing::internal::GetCapturedStderr().find("missing.conf"), std::string::npos);
	EXPECT_EQ(count, 0);
	EXPECT_TRUE(is_error(open("fake0", ia), DAT_PROVIDER_NOT_FOUND, DAT_NAME_NOT_REGISTERED));
	unsetenv("DAT_OVERRIDE");
}

/* ---- Dynamic registration ---- */

DAT_RETURN no_open(const DAT_NAME_PTR, DAT_COUNT, DAT_EVD_HANDLE *, DAT_IA_HANDLE *, DAT_BOOLEAN)
{
	return DAT_ERROR(DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_DEVICE);
}

DAT_PROVIDER *opened_table;

DAT_RETURN open_one(const DAT_NAME_PTR, DAT_COUNT, DAT_EVD_HANDLE *, DAT_IA_HANDLE *ia, DAT_BOOLEAN)
{
	*ia = new DAT_PROVIDER *(opened_table);
	return DAT_SUCCESS;
}

DAT_RETURN close_one(DAT_IA_HANDLE ia, DAT_CLOSE_FLAGS)
{
	delete static_cast<DAT_PROVIDER **>(ia);
	return DAT_SUCCESS;
}

DAT_PROVIDER_INFO info_of(const std::string &name, DAT_UINT32 minor = 2, bool safe = true,
			  DAT_UINT32 major = 1)
{
	DAT_PROVIDER_INFO info{};
	name.copy(info.ia_name, sizeof info.ia_name);
	info.dapl_version_major = major;
	info.dapl_version_minor = minor;
	info.is_thread_safe = safe ? DAT_TRUE : DAT_FALSE;
	return info;
}

DAT_PROVIDER make_table()
{
	DAT_PROVIDER table{};
	table.ia_open_func = open_one;
	table.ia_close_func = close_one;
	return table;
}

TEST_F(Registered, AddChecksItsArguments)
{
	DAT_PROVIDER table = make_table(), no_opening = table, no_closing = table;
	const DAT_PROVIDER_INFO info = info_of("dyn0");
	const auto add = [&](const DAT_PROVIDER_INFO &what) {
		return dat_registry_add_provider(&table, &what);
	};
	no_opening.ia_open_func = nullptr;
	no_closing.ia_close_func = nullptr;

	for (DAT_PROVIDER *bad : { static_cast<DAT_PROVIDER *>(nullptr), &no_opening, &no_closing })
		EXPECT_TRUE(is_error(dat_registry_add_provider(bad, &info), DAT_INVALID_PARAMETER,
				     DAT_INVALID_ARG1));
	EXPECT_TRUE(is_error(dat_registry_add_provider(&table, nullptr), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(add(info_of("")), DAT_PROVIDER_ALREADY_REGISTERED));
	EXPECT_TRUE(is_error(add(info_of(std::string(DAT_NAME_MAX_LENGTH, 'x'))),
			     DAT_PROVIDER_ALREADY_REGISTERED));
	EXPECT_TRUE(is_error(add(info_of("dyn0", 1)), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(add(info_of("dyn0", 0, true, 2)), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG2));
	EXPECT_EQ(list(), (Names{ "fake0 1.2 safe" }));
}

TEST_F(Registered, AnAdapterIsAddedOnceAndRemovedOnce)
{
	DAT_PROVIDER table = make_table(), other = make_table();
	const DAT_PROVIDER_INFO info = info_of("dyn0"), second = info_of("dyn1");

	ASSERT_EQ(dat_registry_add_provider(&table, &info), DAT_SUCCESS);
	EXPECT_TRUE(is_error(dat_registry_add_provider(&table, &info),
			     DAT_PROVIDER_ALREADY_REGISTERED));
	EXPECT_TRUE(is_error(dat_registry_add_provider(&other, &info),
			     DAT_PROVIDER_ALREADY_REGISTERED));
	ASSERT_EQ(dat_registry_add_provider(&table, &second), DAT_SUCCESS) << "one per port";
	EXPECT_EQ(list(), (Names{ "fake0 1.2 safe", "dyn0 1.2 safe", "dyn1 1.2 safe" }));

	const auto remove = [](DAT_PROVIDER *provider, const DAT_PROVIDER_INFO *what) {
		return dat_registry_remove_provider(provider, what);
	};
	EXPECT_TRUE(is_error(remove(nullptr, &info), DAT_INVALID_PARAMETER, DAT_INVALID_ARG1));
	EXPECT_TRUE(is_error(remove(&table, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(remove(&other, &info), DAT_INVALID_PARAMETER, DAT_INVALID_ARG1));
	const DAT_PROVIDER_INFO unknown = info_of("dyn2"),
				endless = info_of(std::string(DAT_NAME_MAX_LENGTH, 'x'));
	EXPECT_TRUE(is_error(remove(&table, &unknown), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(remove(&table, &endless), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	EXPECT_EQ(remove(&table, &info), DAT_SUCCESS);
	EXPECT_TRUE(is_error(remove(&table, &info), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	EXPECT_EQ(remove(&table, &second), DAT_SUCCESS);
}

TEST_F(Registered, AProviderInUseStays)
{
	DAT_PROVIDER table = make_table();
	const DAT_PROVIDER_INFO info = info_of("dyn0");
	opened_table = &table;
	ASSERT_EQ(dat_registry_add_provider(&table, &info), DAT_SUCCESS);
	const DAT_IA_HANDLE first = must_open("dyn0"), second = must_open("dyn0");

	EXPECT_TRUE(is_error(dat_registry_remove_provider(&table, &info), DAT_PROVIDER_IN_USE));
	close(first);
	EXPECT_TRUE(is_error(dat_registry_remove_provider(&table, &info), DAT_PROVIDER_IN_USE));
	close(second);
	EXPECT_EQ(dat_registry_remove_provider(&table, &info), DAT_SUCCESS);
	DAT_IA_HANDLE ia;
	EXPECT_TRUE(is_error(open("dyn0", ia), DAT_PROVIDER_NOT_FOUND, DAT_NAME_NOT_REGISTERED));
}

TEST_F(Registered, AFailedOpenIsNoUse)
{
	DAT_PROVIDER table = make_table();
	const DAT_PROVIDER_INFO info = info_of("dyn0");
	DAT_IA_HANDLE ia;
	table.ia_open_func = no_open;
	ASSERT_EQ(dat_registry_add_provider(&table, &info), DAT_SUCCESS);

	EXPECT_TRUE(is_error(open("dyn0", ia), DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_DEVICE));
	EXPECT_EQ(dat_registry_remove_provider(&table, &info), DAT_SUCCESS);
}

TEST_F(Registered, ThereIsRoomForSoMany)
{
	DAT_PROVIDER table = make_table();
	std::vector<DAT_PROVIDER_INFO> infos;
	DAT_RETURN ret;

	for (;;) {
		const DAT_PROVIDER_INFO info = info_of("dyn" + std::to_string(infos.size()));
		ret = dat_registry_add_provider(&table, &info);
		if (ret != DAT_SUCCESS || infos.size() > 10000)
			break;
		infos.push_back(info);
	}
	EXPECT_TRUE(is_error(ret, DAT_INSUFFICIENT_RESOURCES));
	EXPECT_EQ(infos.size(), 256u);
	for (const DAT_PROVIDER_INFO &info : infos)
		EXPECT_EQ(dat_registry_remove_provider(&table, &info), DAT_SUCCESS);
}

/* ---- Which one is opened ---- */

TEST_F(Registered, TheSubtypeTellsWhatDoesNotFit)
{
	DAT_IA_HANDLE ia;
	conf.write(conf_line("a") + conf_line("b", "", "b.so", "u2.0 nonthreadsafe default") +
		   conf_line("c", "", "c.so", "u1.1 nonthreadsafe default") +
		   conf_line("d", "", "d.so", "u1.2 nonthreadsafe nondefault"));

	const auto fails_with = [&](DAT_RETURN ret, DAT_RETURN_SUBTYPE subtype) {
		return is_error(ret, DAT_PROVIDER_NOT_FOUND, subtype);
	};
	EXPECT_TRUE(fails_with(open("x", ia), DAT_NAME_NOT_REGISTERED));
	EXPECT_TRUE(fails_with(open("fake0", ia), DAT_NAME_NOT_REGISTERED)) << "not in dat.conf";
	EXPECT_TRUE(fails_with(open("d", ia), DAT_NAME_NOT_REGISTERED)) << "nondefault";
	EXPECT_TRUE(fails_with(open("b", ia), DAT_MAJOR_NOT_FOUND));
	EXPECT_TRUE(fails_with(open("b", ia, false, 0, 2), DAT_MAJOR_NOT_FOUND)) << "not by us";
	EXPECT_TRUE(fails_with(open("c", ia), DAT_MINOR_NOT_FOUND));
	EXPECT_TRUE(fails_with(open("c", ia, false, 1), DAT_MINOR_NOT_FOUND)) << "not by us";
	EXPECT_TRUE(fails_with(open("a", ia, false, 3), DAT_MINOR_NOT_FOUND));
	EXPECT_TRUE(fails_with(open("a", ia, true), DAT_THREAD_SAFETY_NOT_FOUND));
	EXPECT_TRUE(told.empty());
	EXPECT_EQ(warned, "");
}

TEST_F(Registered, ALaterMinorVersionWillDoWhereNoneIsExact)
{
	DAT_PROVIDER later = make_table();
	const DAT_PROVIDER_INFO info = info_of("dyn0", 5);
	opened_table = &later;
	ASSERT_EQ(dat_registry_add_provider(&later, &info), DAT_SUCCESS);
	DAT_IA_HANDLE ia;
	ASSERT_EQ(open("dyn0", ia), DAT_SUCCESS);
	close(ia);
	EXPECT_EQ(dat_registry_remove_provider(&later, &info), DAT_SUCCESS);

	conf.write(conf_line("a", "later", FOREIGN_PROVIDER, "u1.3 nonthreadsafe default") +
		   conf_line("a", "exact"));
	ia = must_open("a");
	DAT_CONTEXT context;
	ASSERT_EQ(dat_get_consumer_context(ia, &context), DAT_SUCCESS);
	EXPECT_EQ(told, (Names{ "init a", "add a", "open a" }));
	close(ia);
}

TEST_F(Registered, ALineForOurselvesNamesTheDevice)
{
	conf.write(conf_line("ib0", "fake0", "libdapl_kdapl.so.1", "u1.2 threadsafe default") +
		   conf_line("fake0", "", "/opt/lib/libdapl_kdapl.so.1") +
		   conf_line("ib1", "nosuch", "libdapl_kdapl.so.1"));
	DAT_IA_ATTR attr;
	DAT_IA_HANDLE ia;

	for (const char *name : { "ib0", "fake0", "RO_AWARE_ib0" }) {
		ASSERT_EQ(open(name, ia), DAT_SUCCESS) << name;
		ASSERT_EQ(dat_ia_query(ia, nullptr, DAT_IA_FIELD_ALL, &attr, 0, nullptr),
			  DAT_SUCCESS);
		const char *bare = name[0] == 'R' ? name + 9 : name;
		EXPECT_STREQ(attr.adapter_name, bare);
		EXPECT_STREQ(DAT_HANDLE_TO_PROVIDER(ia)->device_name, bare);
		close(ia);
	}
	EXPECT_TRUE(is_error(open("ib1", ia), DAT_PROVIDER_NOT_FOUND, DAT_NAME_NOT_REGISTERED));
	EXPECT_TRUE(is_error(open("eth7", ia), DAT_PROVIDER_NOT_FOUND, DAT_NAME_NOT_REGISTERED));

	/* The table opens what the name stands for, too. */
	ia = must_open("ib0");
	DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
	DAT_IA_HANDLE again;
	char alias[] = "ib0";
	const DAT_PROVIDER *table = DAT_HANDLE_TO_PROVIDER(ia);
	close(ia);
	ASSERT_EQ(table->ia_open_func(alias, 1, &async, &again, DAT_FALSE), DAT_SUCCESS);
	EXPECT_EQ(DAT_HANDLE_TO_PROVIDER(again), table);
	close(again);
}

/* ---- Provider libraries ---- */

TEST_F(Registered, AProviderIsLoadedWithItsFirstAndUnloadedWithItsLast)
{
	conf.write(conf_line("a", "data"));
	const DAT_IA_HANDLE first = must_open("a"), second = must_open("RO_AWARE_a");

	EXPECT_EQ(told, (Names{ "init a", "add a", "open a", "open ro_aware a" }));
	EXPECT_EQ(last_added, DAT_SUCCESS);
	EXPECT_EQ(list(), (Names{ "a 1.2" })) << "not twice";
	close(first);
	EXPECT_TRUE(is_loaded(FOREIGN_PROVIDER));
	told.clear();
	close(second);
	EXPECT_EQ(told, (Names{ "fini a", "remove a" }));
	EXPECT_FALSE(is_loaded(FOREIGN_PROVIDER));

	told.clear();
	close(must_open("a"));
	EXPECT_EQ(told, (Names{ "init a", "add a", "open a", "fini a", "remove a" }));
}

TEST_F(Registered, OneLibraryMayServeSeveralAdapters)
{
	conf.write(conf_line("a") + conf_line("b"));
	const DAT_IA_HANDLE a = must_open("a"), b = must_open("b");

	close(a);
	EXPECT_TRUE(is_loaded(FOREIGN_PROVIDER));
	DAT_HANDLE_TYPE type;
	EXPECT_EQ(dat_get_handle_type(b, &type), DAT_SUCCESS);
	close(b);
}

TEST_F(Registered, AProviderThatLeavesItsAdapterIsTidiedUpAfter)
{
	conf.write(conf_line("a", "forgetful"));
	close(must_open("a"));
	EXPECT_EQ(told, (Names{ "init a", "add a", "open a", "fini a" }));
	told.clear();
	close(must_open("a"));
	EXPECT_EQ(last_added, DAT_SUCCESS);
}

TEST_F(Registered, WhatCannotBeLoadedIsToldWithItsLine)
{
	struct Row {
		const char *library, *instance;
		std::string reason;
	};
	const std::string none = NO_PROVIDER, foreign = FOREIGN_PROVIDER;
	const Row rows[] = {
		{ "/nonexistent/libx.so", "",
		  "/nonexistent/libx.so: cannot open shared object file: No such file or "
		  "directory" },
		{ UNLINKED_PROVIDER, "", "undefined symbol: nobody_has_this" },
		{ NO_PROVIDER, "", none + " is no provider: it lacks dat_provider_fini" },
		{ FOREIGN_PROVIDER, "silent", foreign + " did not register a" },
		{ FOREIGN_PROVIDER, "other", foreign + " did not register a" },
		{ FOREIGN_PROVIDER, "older", foreign + " did not register a" },
	};

	for (const Row &row : rows) {
		DAT_IA_HANDLE ia;
		conf.write("\n" + conf_line("a", row.instance, row.library));
		EXPECT_TRUE(
			is_error(open("a", ia), DAT_PROVIDER_NOT_FOUND, DAT_NAME_NOT_REGISTERED));
		EXPECT_EQ(warned.find(place(2)), 0u) << warned;
		EXPECT_NE(warned.find(row.reason + "\n"), std::string::npos) << warned;
		EXPECT_FALSE(is_loaded(row.library));
		EXPECT_EQ(list(), (Names{ "a 1.2" }));
	}
	EXPECT_TRUE(is_error(last_added, DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
}

TEST_F(Registered, TheNextLineIsTriedWhenOneFails)
{
	conf.write(conf_line("a", "", "/nonexistent/libx.so") + conf_line("a", "silent") +
		   conf_line("a", "good") + conf_line("a", "refuse"));
	const DAT_IA_HANDLE ia = must_open("a");

	EXPECT_EQ(told, (Names{ "init a", "fini a", "init a", "add a", "open a" }));
	EXPECT_NE(warned.find(place(1)), std::string::npos);
	EXPECT_NE(warned.find(place(2)), std::string::npos);
	close(ia);
}

TEST_F(Registered, AProviderThatRefusesIsUnloaded)
{
	DAT_IA_HANDLE ia;
	conf.write(conf_line("a", "refuse"));

	EXPECT_TRUE(is_error(open("a", ia), DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_DEVICE));
	EXPECT_EQ(told, (Names{ "init a", "add a", "fini a", "remove a" }));
}

TEST_F(Registered, AProgramMayLoadAProviderItself)
{
	void *image = dlopen(FOREIGN_PROVIDER, RTLD_NOW);
	ASSERT_TRUE(image) << dlerror();
	const auto init =
		reinterpret_cast<DAT_PROVIDER_INIT_FUNC>(dlsym(image, DAT_PROVIDER_INIT_FUNC_STR));
	const auto fini =
		reinterpret_cast<DAT_PROVIDER_FINI_FUNC>(dlsym(image, DAT_PROVIDER_FINI_FUNC_STR));
	const DAT_PROVIDER_INFO info = info_of("mine", 2, false);
	init(&info, "");
	EXPECT_EQ(list(), (Names{ "fake0 1.2 safe", "mine 1.2" }));
	close(must_open("mine"));
	EXPECT_EQ(list(), (Names{ "fake0 1.2 safe", "mine 1.2" })) << "it stays";
	fini(&info);
	EXPECT_EQ(list(), (Names{ "fake0 1.2 safe" }));
	dlclose(image);
}

/* ---- Handles ---- */

TEST_F(Registered, CallsGoToTheProviderOfTheHandle)
{
	conf.write(conf_line("a") + conf_line("fake0", "", "libdapl_kdapl.so.1"));
	const DAT_IA_HANDLE foreign = must_open("a"), own = must_open("fake0");
	DAT_PZ_HANDLE foreign_pz, own_pz;
	DAT_HANDLE_TYPE type;

	ASSERT_EQ(dat_pz_create(foreign, &foreign_pz), DAT_SUCCESS);
	ASSERT_EQ(dat_pz_create(own, &own_pz), DAT_SUCCESS);
	EXPECT_EQ(DAT_HANDLE_TO_PROVIDER(foreign_pz), DAT_HANDLE_TO_PROVIDER(foreign));
	EXPECT_NE(DAT_HANDLE_TO_PROVIDER(own_pz), DAT_HANDLE_TO_PROVIDER(foreign));
	for (const DAT_HANDLE pz : { foreign_pz, own_pz }) {
		DAT_CONTEXT context;
		context.as_ptr = this;
		ASSERT_EQ(dat_get_handle_type(pz, &type), DAT_SUCCESS);
		EXPECT_EQ(type, DAT_HANDLE_TYPE_PZ);
		ASSERT_EQ(dat_set_consumer_context(pz, context), DAT_SUCCESS);
		context.as_ptr = nullptr;
		ASSERT_EQ(dat_get_consumer_context(pz, &context), DAT_SUCCESS);
		EXPECT_EQ(context.as_ptr, this);
	}
	DAT_DTO_COOKIE cookie;
	cookie.as_64 = 0x20;
	EXPECT_TRUE(is_error(dat_ep_post_rdma_read(foreign_pz, 3, nullptr, cookie, nullptr,
						   DAT_COMPLETION_SUPPRESS_FLAG),
			     DAT_INTERNAL_ERROR, static_cast<DAT_RETURN_SUBTYPE>(0x24)))
		<< "all arguments arrive";
	EXPECT_TRUE(is_error(dat_ep_free(foreign_pz), DAT_NOT_IMPLEMENTED)) << "not in its table";
	EXPECT_EQ(dat_pz_free(foreign_pz), DAT_SUCCESS);
	EXPECT_EQ(dat_pz_free(own_pz), DAT_SUCCESS);
	EXPECT_TRUE(is_error(dat_pz_free(own_pz), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ));
	close(foreign);
	close(own);
}

// Nothing that a program passes for a handle is followed blindly.
TEST_F(Registered, BadHandlesAreToldBesideForeignOnes)
{
	conf.write(conf_line("a"));
	const DAT_IA_HANDLE ia = must_open("a");
	const void *words[] = { nullptr, this, ia, &words };
	void *page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(page, MAP_FAILED);
	char *const inside = static_cast<char *>(ia) + 1;

	for (const DAT_HANDLE bad :
	     { DAT_HANDLE_NULL, DAT_HANDLE(1), DAT_HANDLE(8), DAT_HANDLE(0xdeadbeef000),
	       DAT_HANDLE(~0ULL), DAT_HANDLE(~7ULL), DAT_HANDLE(0x8000000000000000), page,
	       DAT_HANDLE(inside), DAT_HANDLE(&words[0]), DAT_HANDLE(&words[1]),
	       DAT_HANDLE(&words[2]), DAT_HANDLE(&words[3]) }) {
		DAT_HANDLE_TYPE type;
		EXPECT_TRUE(is_error(dat_get_handle_type(bad, &type), DAT_INVALID_HANDLE,
				     DAT_INVALID_HANDLE1))
			<< bad;
		EXPECT_TRUE(is_error(dat_ia_close(bad, DAT_CLOSE_ABRUPT_FLAG), DAT_INVALID_HANDLE,
				     DAT_INVALID_HANDLE_IA))
			<< bad;
	}
	munmap(page, 4096);
	close(ia);
}

TEST_F(Registered, AHandleWhoseMemoryIsGoneIsTold)
{
	DAT_PROVIDER table = make_table();
	const DAT_PROVIDER_INFO info = info_of("dyn0");
	table.get_handle_type_func = [](DAT_HANDLE, DAT_HANDLE_TYPE *) -> DAT_RETURN {
		return DAT_SUCCESS;
	};
	table.pz_free_func = [](DAT_PZ_HANDLE pz) -> DAT_RETURN {
		if (munmap(pz, 4096))
			return DAT_ERROR(DAT_INTERNAL_ERROR, 0);
		return DAT_SUCCESS;
	};
	ASSERT_EQ(dat_registry_add_provider(&table, &info), DAT_SUCCESS);
	void *page =
		mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(page, MAP_FAILED);
	*static_cast<DAT_PROVIDER **>(page) = &table;

	DAT_HANDLE_TYPE type;
	EXPECT_EQ(dat_get_handle_type(page, &type), DAT_SUCCESS);
	EXPECT_EQ(dat_get_handle_type(page, &type), DAT_SUCCESS);
	EXPECT_EQ(dat_pz_free(page), DAT_SUCCESS);
	EXPECT_TRUE(is_error(dat_get_handle_type(page, &type), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE1));
	EXPECT_EQ(dat_registry_remove_provider(&table, &info), DAT_SUCCESS);
}

TEST_F(Registered, AnIaIsClosedOnceAndOnlyWhenItsProviderSays)
{
	conf.write(conf_line("a"));
	const DAT_IA_HANDLE ia = must_open("a"), kept = must_open("a");

	EXPECT_TRUE(is_error(dat_ia_close(ia, DAT_CLOSE_GRACEFUL_FLAG), DAT_INVALID_STATE,
			     DAT_INVALID_STATE_IA_IN_USE));
	close(ia);
	EXPECT_TRUE(is_error(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_IA));
	DAT_PZ_HANDLE pz;
	ASSERT_EQ(dat_pz_create(kept, &pz), DAT_SUCCESS);
	EXPECT_TRUE(is_error(dat_ia_close(pz, DAT_CLOSE_ABRUPT_FLAG), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_IA));
	EXPECT_EQ(dat_pz_free(pz), DAT_SUCCESS);
	close(kept);
}

TEST_F(Registered, OurOwnTableCanBeRegisteredToo)
{
	DAT_IA_HANDLE ia = must_open("fake0");
	DAT_PROVIDER table = *DAT_HANDLE_TO_PROVIDER(ia);
	const DAT_PROVIDER_INFO info = info_of("fake0");
	close(ia);
	ASSERT_EQ(dat_registry_add_provider(&table, &info), DAT_SUCCESS);
	ia = must_open("fake0");
	EXPECT_TRUE(is_error(dat_registry_remove_provider(&table, &info), DAT_PROVIDER_IN_USE));
	close(ia);
	EXPECT_TRUE(is_error(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_IA));
	EXPECT_EQ(dat_registry_remove_provider(&table, &info), DAT_SUCCESS);
}

/* ---- Threads ---- */

// Each start has its stop, no adapter is registered twice, none in use is removed.
TEST_F(Registered, ThreadsOpenAndCloseAtOnce)
{
	constexpr int threads = 4, rounds = 200;
	conf.write(conf_line("a") + conf_line("b") + conf_line("fake9", "", "libdapl_kdapl.so.1"));
	std::atomic<int> failed = 0, removed_in_use = 0;
	const auto work = [&](int number) {
		DAT_PROVIDER table = make_table();
		const DAT_PROVIDER_INFO info = info_of("dyn" + std::to_string(number));
		std::string name = number % 2 ? "a" : "b";
		const DAT_PROVIDER_INFO opened = info_of(name);
		for (int i = 0; i < rounds; i++) {
			DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
			DAT_IA_HANDLE ia;
			DAT_HANDLE_TYPE type;
			DAT_COUNT count;
			if (dat_ia_open(name.data(), 1, &async, &ia) != DAT_SUCCESS) {
				failed++;
				continue;
			}
			failed += dat_get_handle_type(ia, &type) != DAT_SUCCESS;
			failed += dat_registry_add_provider(&table, &info) != DAT_SUCCESS;
			removed_in_use +=
				dat_registry_remove_provider(DAT_HANDLE_TO_PROVIDER(ia), &opened) !=
				DAT_ERROR(DAT_PROVIDER_IN_USE, 0);
			failed += DAT_GET_TYPE(dat_registry_list_providers(0, &count, nullptr)) !=
				  DAT_INVALID_PARAMETER;
			failed += count < 4;
			failed += dat_registry_remove_provider(&table, &info) != DAT_SUCCESS;
			failed += dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG) != DAT_SUCCESS;
		}
	};
	std::vector<std::thread> running;
	for (int i = 0; i < threads; i++)
		running.emplace_back(work, i);
	for (std::thread &thread : running)
		thread.join();

	EXPECT_EQ(failed, 0);
	EXPECT_EQ(removed_in_use, 0);
	std::map<std::string, int> counts;
	for (const std::string &event : told)
		counts[event]++;
	for (const std::string name : { "a", "b" }) {
		EXPECT_GT(counts["init " + name], 0);
		EXPECT_EQ(counts["init " + name], counts["fini " + name]);
		EXPECT_EQ(counts["add " + name], counts["remove " + name]);
		EXPECT_EQ(counts["open " + name], threads / 2 * rounds);
	}
	EXPECT_EQ(last_added, DAT_SUCCESS);
}

/* ---- Our own provider library ---- */

TEST_F(Registered, OurProviderServesAnotherRegistry)
{
	void *image = dlopen(OWN_PROVIDER, RTLD_NOW | RTLD_LOCAL);
	ASSERT_TRUE(image) << dlerror();
	const auto init =
		reinterpret_cast<DAT_PROVIDER_INIT_FUNC>(dlsym(image, DAT_PROVIDER_INIT_FUNC_STR));
	const auto fini =
		reinterpret_cast<DAT_PROVIDER_FINI_FUNC>(dlsym(image, DAT_PROVIDER_FINI_FUNC_STR));
	ASSERT_TRUE(init && fini);
	const DAT_PROVIDER_INFO info = info_of("other0");

	init(&info, "no-such-device");
	EXPECT_EQ(list(), (Names{ "fake0 1.2 safe", "other0 1.2 safe" }));
	/* Its engine is another one, which asks the kernel's own module. */
	DAT_IA_HANDLE ia;
	const DAT_RETURN ret = open("other0", ia);
	EXPECT_NE(ret, DAT_SUCCESS);
	fini(&info);
	EXPECT_EQ(list(), (Names{ "fake0 1.2 safe" }));
	dlclose(image);
}

} // namespace
