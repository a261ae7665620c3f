// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// EVD.

#include "face.hpp"

#include "engine/cno.hpp"
#include "engine/evd.hpp"

#include <optional>

using namespace face;
using kdapl::Cno;
using kdapl::Evd;
using kdapl::Event;
using kdapl::Ia;

namespace {

void translate_completion(const Event &from, DAT_EVD_HANDLE evd, DAT_EVENT &to) noexcept
{
	auto &dto = to.event_data.dto_completion_event_data;

	to.event_number = DAT_DTO_COMPLETION_EVENT;
	to.evd_handle = evd;
	dto.ep_handle = to_dat(from.object);
	dto.user_cookie.as_64 = from.cookie;
	dto.status = static_cast<DAT_DTO_COMPLETION_STATUS>(from.status);
	dto.transfered_length = from.length;
	version::finish(to, from);
}

void translate(const Event &from, DAT_EVD_HANDLE evd, DAT_EVENT &to) noexcept
{
	to = {};
	to.event_number = static_cast<DAT_EVENT_NUMBER>(from.number);
	to.evd_handle = evd;
	if (from.number == kdapl::event_dto) {
		translate_completion(from, evd, to);
	} else if (from.number == kdapl::event_rmr_bind) {
		auto &bind = to.event_data.rmr_completion_event_data;
		bind.rmr_handle = to_dat(from.object);
		bind.user_cookie.as_64 = from.cookie;
		bind.status = static_cast<DAT_RMR_BIND_COMPLETION_STATUS>(from.status);
	} else if (from.number == kdapl::event_connection_request) {
		auto &request = to.event_data.cr_arrival_event_data;
		request.sp_handle.psp_handle = to_dat(from.object);
		request.local_ia_address_ptr = const_cast<DAT_IA_ADDRESS_PTR>(from.local_address);
		request.conn_qual = from.conn_qual;
		request.cr_handle = to_dat(from.cr);
	} else if (from.number >= kdapl::event_connection_first &&
		   from.number <= kdapl::event_connection_last) {
		auto &connection = to.event_data.connect_event_data;
		connection.ep_handle = to_dat(from.object);
		connection.private_data_size = to_count(from.private_data_size);
		connection.private_data = from.private_data;
	} else if (from.number == kdapl::event_software) {
		to.event_data.software_event_data.pointer =
			reinterpret_cast<DAT_PVOID>(from.cookie);
	} else {
		auto &error = to.event_data.asynch_error_event_data;
		error.dat_handle = kdapl::pin<Ia>(from.object) ? version::shown_ia(from.object) :
								 to_dat(from.object);
		error.reason = static_cast<DAT_COUNT>(from.status);
	}
}

static_assert(bits(kdapl::event_dto) == bits(DAT_DTO_COMPLETION_EVENT));
static_assert(bits(kdapl::event_rmr_bind) == bits(DAT_RMR_BIND_COMPLETION_EVENT));
static_assert(bits(kdapl::event_connection_request) == bits(DAT_CONNECTION_REQUEST_EVENT));
static_assert(bits(kdapl::event_connection_first) == bits(DAT_CONNECTION_EVENT_ESTABLISHED));
static_assert(bits(kdapl::event_connection_last) == bits(DAT_CONNECTION_EVENT_UNREACHABLE));
static_assert(bits(kdapl::event_async_first) == bits(DAT_ASYNC_ERROR_EVD_OVERFLOW));
static_assert(bits(kdapl::event_async_last) == bits(DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR));
static_assert(bits(kdapl::event_software) == bits(DAT_SOFTWARE_EVENT));
static_assert(bits(kdapl::evd_all) == bits((DAT_EVD_DEFAULT_FLAG | DAT_EVD_SOFTWARE_FLAG)));

} // namespace

namespace face_own {

DAT_RETURN dat_evd_create(DAT_IA_HANDLE ia_handle, DAT_COUNT evd_min_qlen,
			  DAT_CNO_HANDLE cno_handle, DAT_EVD_FLAGS evd_flags,
			  DAT_EVD_HANDLE *evd_handle)
{
	return call([&] {
		const auto ia = kdapl::pin<Ia>(ia_handle);
		std::uint32_t flags = bits(evd_flags);
		Ref<Evd> evd;

		if (!ia)
			return bad_handle(Sub::handle_ia);
		if (evd_min_qlen <= 0)
			return bad_parameter(Sub::arg2);
		const auto cno = kdapl::pin<Cno>(cno_handle);
		if (cno_handle != DAT_HANDLE_NULL && (!cno || &cno->ia() != ia.get()))
			return bad_handle(Sub::handle_cno);
		/* Extensions complete as transfers do. */
		if (ia->attributes().flags & KDAPL_IA_IMM && flags & version::extension_stream)
			flags = (flags & ~version::extension_stream) | kdapl::evd_dto;
		if (!flags || flags & ~std::uint32_t{ kdapl::evd_all })
			return bad_parameter(Sub::arg4);
		if (!evd_handle)
			return bad_parameter(Sub::arg5);
		const auto qlen = static_cast<std::uint32_t>(evd_min_qlen);
		if (qlen > ia->attributes().max_evd_qlen)
			return fail(Type::insufficient_resources, Sub::resource_tevd);

		if (Status status = Evd::create(ia, qlen, flags, evd); !status.ok())
			return status;
		if (Status status = evd->set_cno(cno ? cno.get() : nullptr); !status.ok()) {
			(void)evd->free();
			return status;
		}
		*evd_handle = to_dat(evd->handle());
		return success;
	});
}

static DAT_EVD_STATE config_of(const Evd &evd) noexcept
{
	if (evd.is_solicited())
		return DAT_EVD_STATE_CONFIG_SOLICITED;
	return evd.is_quiet() ? DAT_EVD_STATE_CONFIG_NOTIFY : DAT_EVD_STATE_CONFIG_THRESHOLD;
}

DAT_RETURN dat_evd_query(DAT_EVD_HANDLE evd_handle, DAT_EVD_PARAM_MASK evd_param_mask,
			 DAT_EVD_PARAM *evd_param)
{
	return call([&] {
		const auto evd = kdapl::pin<Evd>(evd_handle);

		if (!evd)
			return bad_handle(Sub::handle1);
		if (Status status = check_query(evd_param_mask, DAT_EVD_FIELD_ALL, evd_param);
		    !status.ok())
			return status;

		evd_param->ia_handle = version::shown_ia(evd->ia().handle());
		evd_param->evd_qlen = to_count(evd->qlen());
		evd_param->evd_state =
			config_of(*evd) |
			(evd->waitable() ? DAT_EVD_STATE_WAITABLE : DAT_EVD_STATE_UNWAITABLE) |
			(evd->enabled() ? DAT_EVD_STATE_ENABLED : DAT_EVD_STATE_DISABLED);
		evd_param->cno_handle = to_dat(evd->cno());
		evd_param->evd_flags = static_cast<DAT_EVD_FLAGS>(evd->flags());
		return success;
	});
}

namespace {

DAT_RETURN set_enabled(DAT_EVD_HANDLE evd_handle, bool on) noexcept
{
	return call([&] {
		const auto evd = kdapl::pin<Evd>(evd_handle);

		if (!evd)
			return bad_handle(Sub::handle1);
		return evd->enable(on);
	});
}

} // namespace

DAT_RETURN dat_evd_modify_cno(DAT_EVD_HANDLE evd_handle, DAT_CNO_HANDLE cno_handle)
{
	return call([&] {
		const auto evd = kdapl::pin<Evd>(evd_handle);
		const auto cno = kdapl::pin<Cno>(cno_handle);

		if (!evd)
			return bad_handle(Sub::handle1);
		if (cno_handle != DAT_HANDLE_NULL && (!cno || &cno->ia() != &evd->ia()))
			return bad_handle(Sub::handle_cno);
		return evd->set_cno(cno ? cno.get() : nullptr);
	});
}

DAT_RETURN dat_evd_enable(DAT_EVD_HANDLE evd_handle)
{
	return set_enabled(evd_handle, true);
}

DAT_RETURN dat_evd_disable(DAT_EVD_HANDLE evd_handle)
{
	return set_enabled(evd_handle, false);
}

namespace {

DAT_RETURN set_waitable(DAT_EVD_HANDLE evd_handle, bool waitable) noexcept
{
	return call([&] {
		const auto evd = kdapl::pin<Evd>(evd_handle);

		return evd ? evd->set_waitable(waitable) : bad_handle(Sub::handle1);
	});
}

} // namespace

DAT_RETURN dat_evd_set_unwaitable(DAT_EVD_HANDLE evd_handle)
{
	return set_waitable(evd_handle, false);
}

DAT_RETURN dat_evd_clear_unwaitable(DAT_EVD_HANDLE evd_handle)
{
	return set_waitable(evd_handle, true);
}

DAT_RETURN dat_evd_post_se(DAT_EVD_HANDLE evd_handle, const DAT_EVENT *event)
{
	return call([&] {
		const auto evd = kdapl::pin<Evd>(evd_handle);

		if (!evd)
			return bad_handle(Sub::handle1);
		if (!event || event->event_number != DAT_SOFTWARE_EVENT)
			return bad_parameter(Sub::arg2);
		if (!(evd->flags() & kdapl::evd_software))
			return bad_parameter(Sub::arg1);
		return evd->post_software(reinterpret_cast<std::uintptr_t>(
			event->event_data.software_event_data.pointer));
	});
}

DAT_RETURN dat_evd_resize(DAT_EVD_HANDLE evd_handle, DAT_COUNT evd_min_qlen)
{
	return call([&] {
		const auto evd = kdapl::pin<Evd>(evd_handle);

		if (!evd)
			return bad_handle(Sub::handle1);
		if (evd_min_qlen <= 0)
			return bad_parameter(Sub::arg2);
		const auto qlen = static_cast<std::uint32_t>(evd_min_qlen);
		if (qlen > evd->ia().attributes().max_evd_qlen)
			return fail(Type::insufficient_resources, Sub::resource_tevd);
		return evd->resize(qlen);
	});
}

DAT_RETURN dat_evd_wait(DAT_EVD_HANDLE evd_handle, DAT_TIMEOUT timeout, DAT_COUNT threshold,
			DAT_EVENT *event, DAT_COUNT *nmore)
{
	return sleeping_call([&] {
		const auto evd = kdapl::pin<Evd>(evd_handle);
		Event taken;
		std::uint32_t more;

		if (!evd)
			return bad_handle(Sub::handle1);
		if (threshold <= 0)
			return bad_parameter(Sub::arg3);
		if (!event)
			return bad_parameter(Sub::arg4);
		if (!nmore)
			return bad_parameter(Sub::arg5);
		*nmore = 0;

		const Status status =
			evd->wait(timeout, static_cast<std::uint32_t>(threshold), taken, more);
		*nmore = to_count(more);
		if (status.ok())
			translate(taken, evd_handle, *event);
		return status;
	});
}

namespace {

/** Whatever there is, and whatever is wrong. */
[[gnu::noinline]] DAT_RETURN dequeue_any(DAT_EVD_HANDLE evd_handle, DAT_EVENT *event) noexcept
{
	return call([&] {
		const auto evd = kdapl::pin<Evd>(evd_handle);

		if (!evd)
			return bad_handle(Sub::handle1);
		if (!event)
			return bad_parameter(Sub::arg2);
		if (evd->looks_empty())
			return fail(Type::queue_empty);
		Event taken;
		const Status status = evd->dequeue(taken);
		if (status.ok())
			translate(taken, evd_handle, *event);
		return status;
	});
}

/** What most looks end with: nothing, or a completion. */
template <class Lock>
std::optional<DAT_RETURN> look(Evd &evd, DAT_EVD_HANDLE evd_handle, DAT_EVENT &event) noexcept
{
	Event taken;

	if (evd.looks_empty())
		return version::queue_empty;
	if (!evd.take_completion<Lock>(taken))
		return {};
	translate_completion(taken, evd_handle, event);
	return DAT_SUCCESS;
}

std::optional<DAT_RETURN> look_on(DAT_EVD_HANDLE evd_handle, DAT_EVENT &event) noexcept
{
	if (kdapl::alone()) {
		Evd *evd = kdapl::find_alone<Evd>(evd_handle);

		return evd ? look<kdapl::Unlocked>(*evd, evd_handle, event) : std::nullopt;
	}
	const auto evd = kdapl::pin<Evd>(evd_handle);

	return evd ? look<std::lock_guard<kdapl::Mutex>>(*evd, evd_handle, event) : std::nullopt;
}

} // namespace

[[gnu::flatten]] DAT_RETURN dat_evd_dequeue(DAT_EVD_HANDLE evd_handle, DAT_EVENT *event)
{
	if (event) {
		if (const auto seen = look_on(evd_handle, *event))
			return *seen;
	}
	return dequeue_any(evd_handle, event);
}

DAT_RETURN dat_evd_free(DAT_EVD_HANDLE evd_handle)
{
	return call([&] {
		const auto evd = kdapl::pin<Evd>(evd_handle);

		return evd ? evd->free() : bad_handle(Sub::handle1);
	});
}

} // namespace face_own
