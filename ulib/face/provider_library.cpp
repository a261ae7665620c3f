// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "provider_library.hpp"

#include "engine/debug.hpp"

#include <dlfcn.h>

namespace face {

namespace {

/** The dynamic linker's words for what went wrong. */
const char *linker_error() noexcept
{
	const char *error = dlerror();

	return error ? error : "cannot be loaded";
}

} // namespace

ProviderLibrary::~ProviderLibrary()
{
	stop();
	if (image_)
		dlclose(image_);
}

bool ProviderLibrary::load(const std::string &where, const std::string &file) noexcept
{
	/* All of it now: a symbol that is missing shall not kill the program later. */
	image_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
	if (!image_) {
		kdapl::debug_warning("%s: %s", where.c_str(), linker_error());
		return false;
	}
	init_ = reinterpret_cast<DAT_PROVIDER_INIT_FUNC>(dlsym(image_, DAT_PROVIDER_INIT_FUNC_STR));
	fini_ = reinterpret_cast<DAT_PROVIDER_FINI_FUNC>(dlsym(image_, DAT_PROVIDER_FINI_FUNC_STR));
	if (init_ && fini_)
		return true;
	kdapl::debug_warning("%s: %s is no provider: it lacks %s", where.c_str(), file.c_str(),
			     init_ ? DAT_PROVIDER_FINI_FUNC_STR : DAT_PROVIDER_INIT_FUNC_STR);
	return false;
}

void ProviderLibrary::start(const DAT_PROVIDER_INFO &info, const std::string &instance_data)
{
	info_ = info;
	started_ = true;
	init_(&info_, instance_data.c_str());
}

void ProviderLibrary::stop()
{
	if (std::exchange(started_, false))
		fini_(&info_);
}

} // namespace face
