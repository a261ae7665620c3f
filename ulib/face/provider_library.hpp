// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A provider's library, loaded and started for one adapter. It is stopped and
 * unloaded with this object.
 */
#pragma once

#include "face.hpp"

#include <string>

namespace face {

class ProviderLibrary {
public:
	ProviderLibrary() noexcept = default;
	ProviderLibrary(const ProviderLibrary &) = delete;
	ProviderLibrary &operator=(const ProviderLibrary &) = delete;
	~ProviderLibrary();

	/** Whether it can be; if not the reason is told, as from "where". */
	bool load(const std::string &where, const std::string &file) noexcept;
	/** Have it register an adapter. */
	void start(const DAT_PROVIDER_INFO &info, const std::string &instance_data);
	/** Have it remove the adapter, if it was started. */
	void stop();

private:
	void *image_ = nullptr;
	DAT_PROVIDER_INIT_FUNC init_ = nullptr;
	DAT_PROVIDER_FINI_FUNC fini_ = nullptr;
	bool started_ = false;
	DAT_PROVIDER_INFO info_{};
};

} // namespace face
