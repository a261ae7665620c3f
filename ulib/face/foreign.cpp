// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "foreign.hpp"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <sys/syscall.h>
#include <type_traits>
#include <unistd.h>

namespace face {

constinit ForeignTables foreign_tables;
static_assert(std::is_trivially_destructible_v<ForeignTables>);

namespace {

/**
 * Whether eight bytes can be read. The kernel copies the signal set before it
 * looks at what to do with it, so a call that does nothing tells.
 */
bool ask_kernel(const void *address) noexcept
{
	constexpr int nothing_to_do = ~0;
	const int saved = errno;

	syscall(SYS_rt_sigprocmask, nothing_to_do, address, nullptr, sizeof(std::uint64_t));
	const bool readable = errno == EINVAL;
	errno = saved;
	return readable;
}

/* A freed object's word is read as well: it is none of a table, mostly. */
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] const DAT_PROVIDER *first_word(
	DAT_HANDLE handle) noexcept
{
	return DAT_HANDLE_TO_PROVIDER(handle);
}

/** A handle that the kernel was asked about, and when. */
struct Asked {
	DAT_HANDLE handle;
	std::uint64_t frees;
};

/* Transfers are posted on few handles: they shall cost no system call. */
constexpr std::size_t asked_places = 64;
thread_local std::array<Asked, asked_places> asked{};

} // namespace

bool ForeignTables::is_readable(DAT_HANDLE handle) const noexcept
{
	const auto number = reinterpret_cast<std::uintptr_t>(handle) / alignof(void *);
	Asked &place = asked[(number ^ number >> 6) % asked_places];
	const std::uint64_t frees = frees_.load(std::memory_order_relaxed);

	if (place.handle == handle && place.frees == frees)
		return true;
	if (!ask_kernel(handle))
		return false;
	place = { handle, frees };
	return true;
}

bool ForeignTables::add(const DAT_PROVIDER *table) noexcept
{
	const std::size_t used = used_.load(std::memory_order_relaxed);

	for (std::size_t i = 0; i < most; i++) {
		if (tables_[i].load(std::memory_order_relaxed))
			continue;
		tables_[i].store(table, std::memory_order_relaxed);
		if (i == used)
			used_.store(used + 1, std::memory_order_release);
		return true;
	}
	return false;
}

void ForeignTables::remove(const DAT_PROVIDER *table) noexcept
{
	std::size_t used = used_.load(std::memory_order_relaxed);

	for (std::size_t i = 0; i < used; i++) {
		if (tables_[i].load(std::memory_order_relaxed) == table) {
			tables_[i].store(nullptr, std::memory_order_relaxed);
			break;
		}
	}
	while (used && !tables_[used - 1].load(std::memory_order_relaxed))
		used--;
	used_.store(used, std::memory_order_release);
	/* Its objects go with it. */
	frees_.fetch_add(1, std::memory_order_relaxed);
}

const DAT_PROVIDER *ForeignTables::of(DAT_HANDLE handle) const noexcept
{
	if (!handle || reinterpret_cast<std::uintptr_t>(handle) % alignof(void *))
		return nullptr;
	if (kdapl::HandleTable::instance().covers(handle) || !is_readable(handle))
		return nullptr;

	const DAT_PROVIDER *table = first_word(handle);
	const std::size_t used = used_.load(std::memory_order_acquire);
	for (std::size_t i = 0; table && i < used; i++) {
		if (tables_[i].load(std::memory_order_relaxed) == table)
			return table;
	}
	return nullptr;
}

} // namespace face
