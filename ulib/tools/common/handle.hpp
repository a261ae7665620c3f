// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owner of a DAT handle: frees the object when it goes out of scope.
 */
#pragma once

#include <utility>

#include <dat/udat.h>

namespace tools {

/** Owns one handle; Free is the call that ends the object. */
template <DAT_RETURN (*Free)(DAT_HANDLE)>
class Handle {
public:
	Handle() = default;
	explicit Handle(DAT_HANDLE handle) : handle_(handle) {}
	Handle(Handle &&other) noexcept : handle_(std::exchange(other.handle_, DAT_HANDLE_NULL)) {}
	Handle &operator=(Handle &&other) noexcept
	{
		std::swap(handle_, other.handle_);
		return *this;
	}
	Handle(const Handle &) = delete;
	Handle &operator=(const Handle &) = delete;
	~Handle() { reset(); }

	/** The handle, for DAT calls. */
	DAT_HANDLE get() const { return handle_; }

	/** Where a create call stores a new handle if it succeeds. Frees the old one. */
	DAT_HANDLE *out()
	{
		reset();
		return &handle_;
	}

	/** Gives the handle up without freeing it. */
	DAT_HANDLE release() { return std::exchange(handle_, DAT_HANDLE_NULL); }

	/** Frees the object now. */
	void reset()
	{
		if (handle_ != DAT_HANDLE_NULL)
			Free(std::exchange(handle_, DAT_HANDLE_NULL));
	}

private:
	DAT_HANDLE handle_ = DAT_HANDLE_NULL;
};

/** dat_ia_close() with everything that is left in the adapter. */
inline DAT_RETURN close_adapter(DAT_HANDLE ia)
{
	return dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG);
}

using IaHandle = Handle<close_adapter>;
using PzHandle = Handle<dat_pz_free>;
using LmrHandle = Handle<dat_lmr_free>;
using EvdHandle = Handle<dat_evd_free>;
using EpHandle = Handle<dat_ep_free>;
using PspHandle = Handle<dat_psp_free>;
using CrHandle = Handle<dat_cr_reject>;

} // namespace tools
