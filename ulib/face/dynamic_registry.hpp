// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The dynamic registry: adapters that providers registered in this process, and
 * how many opened instances each has. Thread-safe.
 */
#pragma once

#include "match.hpp"

#include <list>
#include <mutex>
#include <vector>

namespace face {

/**
 * While it lives, what the thread registers belongs to an owner, and can be this
 * adapter only: a provider that is being started must not register others, which
 * nobody would remove before its library is unloaded.
 */
class Registering {
public:
	Registering(const char *ia_name, const void *owner) noexcept;
	Registering(const Registering &) = delete;
	Registering &operator=(const Registering &) = delete;
	~Registering();

	const char *const ia_name;
	const void *const owner;
};

class DynamicRegistry {
public:
	Status add(const DAT_PROVIDER *provider, const DAT_PROVIDER_INFO &info);
	Status remove(const DAT_PROVIDER *provider, const DAT_PROVIDER_INFO &info) noexcept;

	/**
	 * The provider of the adapter that a request asks for, with one user more;
	 * nullptr where there is none, and how near one came.
	 */
	const DAT_PROVIDER *use(const Request &request, Match &nearest) noexcept;
	/** One user less; tells how many there are still. */
	unsigned unuse(std::string_view ia_name) noexcept;
	/** Remove what an owner left here. */
	void drop(const void *owner) noexcept;

	std::vector<DAT_PROVIDER_INFO> list();

private:
	struct Entry {
		const DAT_PROVIDER *provider;
		DAT_PROVIDER_INFO info;
		const void *owner; /**< nobody, or who loaded the provider */
		unsigned users = 0;
	};
	using Entries = std::list<Entry>;

	Entries::iterator find(std::string_view ia_name) noexcept;
	void erase(Entries::iterator entry) noexcept;

	std::mutex mutex_; /**< all below */
	Entries entries_;
};

} // namespace face
