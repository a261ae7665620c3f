// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Who serves an adapter: both registries together, and the libraries that were
 * loaded because the static one names them.
 */
#pragma once

#include "dynamic_registry.hpp"
#include "provider.hpp"
#include "provider_library.hpp"

#include "engine/static_registry.hpp"

#include <map>
#include <string>
#include <vector>

namespace face {

/** Who serves an adapter. */
struct Server {
	const DAT_PROVIDER *provider = nullptr; /**< none: this library itself */
	Registered own; /**< for this library */
};

class AdapterRegistry {
	/* Names by the handles of IAs; nobody forbids a provider to give one twice. */
	using OpenIas = std::multimap<DAT_IA_HANDLE, std::string>;
	using Libraries = std::map<std::string, ProviderLibrary>;

public:
	/** An opened instance of another provider's adapter, out of the list of them. */
	using OpenIa = OpenIas::node_type;

	static AdapterRegistry &instance();

	DynamicRegistry &dynamic() noexcept { return dynamic_; }

	/** Find, and perhaps load, who serves an adapter; another provider gets a user. */
	Status acquire(const Request &request, Server &server);
	/** One user less of another provider. */
	void release(const std::string &ia_name) noexcept;

	/** All adapters that can be opened. */
	Status list(std::vector<DAT_PROVIDER_INFO> &infos);

	/** One that is still without its handle. */
	static OpenIa make_open(const std::string &ia_name);
	void put_open(OpenIa ia) noexcept;
	/** Whether one has this handle. */
	bool is_open(DAT_IA_HANDLE handle) noexcept;
	/** Empty if none has this handle. */
	OpenIa take_open(DAT_IA_HANDLE handle) noexcept;

private:
	AdapterRegistry() = default;
	Status acquire_static(const Request &request, Server &server);
	const DAT_PROVIDER *load(const Request &request, const kdapl::StaticRegistry &conf,
				 const kdapl::ConfEntry &entry);
	void unload(const std::string &ia_name) noexcept;

	DynamicRegistry dynamic_;

	/* Held while providers are started and stopped, which then register. */
	std::mutex loading_; /**< the libraries */
	Libraries libraries_;

	std::mutex open_mutex_; /**< the opened ones */
	OpenIas open_;
};

} // namespace face
