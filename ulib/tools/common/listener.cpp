// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "listener.hpp"

#include <fmt/format.h>

#include "error.hpp"

namespace tools {

Listener::Listener(const Adapter &adapter, DAT_CONN_QUAL port)
	: requests_(adapter, backlog, DAT_EVD_CR_FLAG)
{
	DAT_RETURN ret = dat_psp_create(adapter.ia(), port, requests_.get(), DAT_PSP_CONSUMER_FLAG,
					psp_.out());

	if (DAT_GET_TYPE(ret) == DAT_CONN_QUAL_IN_USE)
		throw Error(
			fmt::format("another program listens on port {} of adapter {}: stop it, "
				    "or choose another port with --port",
				    port, adapter.name()));
	check(ret, fmt::format("listen on port {} of adapter {}", port, adapter.name()));
}

Request Listener::next()
{
	DAT_EVENT event{};
	DAT_CR_PARAM param{};
	Request request;

	requests_.wait(event, Deadline());
	request.cr = CrHandle(event.event_data.cr_arrival_event_data.cr_handle);
	check(dat_cr_query(request.cr.get(), DAT_CR_FIELD_ALL, &param),
	      "look at a connection request");
	request.from = Address(param.remote_ia_address_ptr);
	auto *data = static_cast<const std::byte *>(param.private_data);
	if (data && param.private_data_size > 0)
		request.private_data.assign(data, data + param.private_data_size);
	return request;
}

} // namespace tools
