// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Calls that take a handle of any kind.

#include "face.hpp"

#include "engine/object.hpp"

using namespace face;

namespace face_own {

DAT_RETURN dat_set_consumer_context(DAT_HANDLE dat_handle, DAT_CONTEXT context)
{
	return call([&] {
		const auto object = kdapl::pin_any(dat_handle);

		if (!object)
			return bad_handle(Sub::handle1);
		object->set_context(context.as_64);
		return success;
	});
}

DAT_RETURN dat_get_consumer_context(DAT_HANDLE dat_handle, DAT_CONTEXT *context)
{
	return call([&] {
		const auto object = kdapl::pin_any(dat_handle);

		if (!object)
			return bad_handle(Sub::handle1);
		if (!context)
			return bad_parameter(Sub::arg2);
		context->as_64 = object->context();
		return success;
	});
}

DAT_RETURN dat_get_handle_type(DAT_HANDLE dat_handle, DAT_HANDLE_TYPE *handle_type)
{
	return call([&] {
		const auto object = kdapl::pin_any(dat_handle);

		if (!object)
			return bad_handle(Sub::handle1);
		if (!handle_type)
			return bad_parameter(Sub::arg2);
		*handle_type = static_cast<DAT_HANDLE_TYPE>(object->kind_of());
		return success;
	});
}

static_assert(static_cast<int>(kdapl::Kind::cr) == DAT_HANDLE_TYPE_CR);
static_assert(static_cast<int>(kdapl::Kind::ep) == DAT_HANDLE_TYPE_EP);
static_assert(static_cast<int>(kdapl::Kind::evd) == DAT_HANDLE_TYPE_EVD);
static_assert(static_cast<int>(kdapl::Kind::ia) == DAT_HANDLE_TYPE_IA);
static_assert(static_cast<int>(kdapl::Kind::lmr) == DAT_HANDLE_TYPE_LMR);
static_assert(static_cast<int>(kdapl::Kind::psp) == DAT_HANDLE_TYPE_PSP);
static_assert(static_cast<int>(kdapl::Kind::pz) == DAT_HANDLE_TYPE_PZ);
static_assert(static_cast<int>(kdapl::Kind::rmr) == DAT_HANDLE_TYPE_RMR);
static_assert(static_cast<int>(kdapl::Kind::cno) == DAT_HANDLE_TYPE_CNO);
static_assert(static_cast<int>(kdapl::Kind::srq) == DAT_HANDLE_TYPE_SRQ);

} // namespace face_own
