// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "registry.hpp"

#include <array>

/* The provider calls it by this name. */
extern "C" [[gnu::visibility("default")]] void provider_told(const char *what, const char *ia_name,
							     DAT_RETURN ret);
void provider_told(const char *what, const char *ia_name, DAT_RETURN ret)
{
	const char *end = ret == DAT_SUCCESS ? "" : " refused";

	suite::told().push_back(std::string(what) + ' ' + ia_name + end);
}

namespace suite {

Names listed()
{
	std::array<DAT_PROVIDER_INFO, 16> infos;
	std::array<DAT_PROVIDER_INFO *, 16> pointers;
	DAT_COUNT count = -1;
	Names names;

	for (std::size_t i = 0; i < infos.size(); i++)
		pointers[i] = &infos[i];
	ok(dat_registry_list_providers(infos.size(), &count, pointers.data()));
	for (DAT_COUNT i = 0; i < count; i++)
		names.push_back(infos[static_cast<std::size_t>(i)].ia_name);
	return names;
}

DAT_RETURN open_ia(const std::string &name, DAT_IA_HANDLE &ia, DAT_UINT32 minor, DAT_UINT32 major)
{
	DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
	std::string writable = name;

	return dat_ia_openv(writable.data(), 4, &async, &ia, major, minor, DAT_TRUE);
}

void open_and_close(const std::string &name)
{
	DAT_IA_HANDLE ia;

	ok(open_ia(name, ia));
	ok(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG));
}

DAT_PROVIDER_INFO info_of(const std::string &name, DAT_UINT32 minor)
{
	DAT_PROVIDER_INFO info{};

	name.copy(info.ia_name, sizeof info.ia_name);
	info.dapl_version_major = DAT_VERSION_MAJOR;
	info.dapl_version_minor = minor;
	info.is_thread_safe = DAT_TRUE;
	return info;
}

std::string conf_line(const std::string &name, const std::string &instance,
		      const std::string &library, const std::string &api)
{
	return name + ' ' + api + ' ' + library + " TEST.1.0 \"" + instance + "\" \"\"\n";
}

Names &told()
{
	static Names names;

	return names;
}

namespace {

/** The one that was made last is the one that adapters are opened with. */
SmallProvider *current;

DAT_RETURN close_one(DAT_IA_HANDLE ia, DAT_CLOSE_FLAGS)
{
	delete static_cast<DAT_PROVIDER **>(ia);
	return DAT_SUCCESS;
}

} // namespace

DAT_RETURN SmallProvider::open_one(const DAT_NAME_PTR, DAT_COUNT, DAT_EVD_HANDLE *async,
				   DAT_IA_HANDLE *ia, DAT_BOOLEAN)
{
	/* The first word of a handle's object is its provider. */
	*ia = new DAT_PROVIDER *(current->table());
	*async = DAT_EVD_OUT_OF_SCOPE;
	current->opens_++;
	return DAT_SUCCESS;
}

SmallProvider::SmallProvider()
{
	table_.ia_open_func = open_one;
	table_.ia_close_func = close_one;
	current = this;
}

} // namespace suite
