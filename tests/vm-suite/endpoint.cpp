// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "endpoint.hpp"

#include <algorithm>
#include <chrono>
#include <sstream>

namespace suite {

/* ---- event queues ---- */

namespace {

std::string number_name(unsigned number)
{
	std::ostringstream text;

	text << "event 0x" << std::hex << number;
	return text.str();
}

DAT_TIMEOUT microseconds(std::chrono::milliseconds time)
{
	return static_cast<DAT_TIMEOUT>(std::chrono::microseconds(time).count());
}

} // namespace

EventQueue::EventQueue(const Adapter &adapter, DAT_COUNT length, DAT_EVD_FLAGS streams)
{
	ok(dat_evd_create(adapter.ia(), length, DAT_HANDLE_NULL, streams, &evd_));
}

EventQueue::~EventQueue()
{
	dat_evd_free(evd_);
}

DAT_COUNT EventQueue::length() const
{
	DAT_EVD_PARAM param;

	ok(dat_evd_query(evd_, DAT_EVD_FIELD_EVD_QLEN, &param));
	return param.evd_qlen;
}

DAT_EVENT EventQueue::wait(Location where)
{
	DAT_EVENT event;
	DAT_COUNT more;

	ok(dat_evd_wait(evd_, microseconds(patience()), 1, &event, &more), where);
	require(event.evd_handle == evd_, "the event names another EVD", where);
	return event;
}

DAT_EVENT EventQueue::spin(Location where)
{
	auto deadline = std::chrono::steady_clock::now() + patience();
	DAT_EVENT event;
	DAT_RETURN result;

	while (DAT_GET_TYPE(result = dat_evd_dequeue(evd_, &event)) == DAT_QUEUE_EMPTY)
		require(std::chrono::steady_clock::now() < deadline, "no event comes", where);
	ok(result, where);
	return event;
}

DAT_EVENT EventQueue::expect(DAT_EVENT_NUMBER number, Location where)
{
	return expect({ number }, where);
}

DAT_EVENT EventQueue::expect(std::initializer_list<DAT_EVENT_NUMBER> numbers, Location where)
{
	DAT_EVENT event = wait(where);

	require(std::find(numbers.begin(), numbers.end(), event.event_number) != numbers.end(),
		number_name(event.event_number) + " instead of " + number_name(*numbers.begin()),
		where);
	return event;
}

void EventQueue::require_empty(Location where)
{
	DAT_EVENT event;

	fails(DAT_QUEUE_EMPTY, dat_evd_dequeue(evd_, &event), where);
}

/* ---- endpoints ---- */

Endpoint::Endpoint(const Adapter &adapter, const EndpointSizes &sizes)
{
	DAT_EP_ATTR attributes{};

	recv_ = std::make_shared<EventQueue>(adapter, sizes.events, sizes.dto_streams);
	request_ = sizes.one_queue ?
			   recv_ :
			   std::make_shared<EventQueue>(adapter, sizes.events, sizes.dto_streams);
	connect_ = sizes.one_queue ? recv_ : std::make_shared<EventQueue>(adapter, sizes.events);
	attributes.service_type = DAT_SERVICE_TYPE_RC;
	attributes.recv_completion_flags = sizes.recv_style;
	attributes.request_completion_flags = sizes.request_style;
	attributes.max_recv_dtos = sizes.recvs;
	attributes.max_request_dtos = sizes.requests;
	attributes.max_recv_iov = sizes.recv_iov;
	attributes.max_request_iov = sizes.request_iov;
	attributes.max_rdma_read_in = sizes.reads;
	attributes.max_rdma_read_out = sizes.reads;
	attributes.max_rdma_read_iov =
		std::min(sizes.request_iov, adapter.attributes().max_iov_segments_per_rdma_read);
	attributes.max_rdma_write_iov = sizes.request_iov;
	const DAT_PZ_HANDLE pz = sizes.pz == DAT_HANDLE_NULL ? adapter.pz() : sizes.pz;
	if (sizes.srq == DAT_HANDLE_NULL)
		ok(dat_ep_create(adapter.ia(), pz, recv_->evd(), request_->evd(), connect_->evd(),
				 sizes.defaults ? nullptr : &attributes, &ep_));
	else
		ok(dat_ep_create_with_srq(adapter.ia(), pz, recv_->evd(), request_->evd(),
					  connect_->evd(), sizes.srq, &attributes, &ep_));
}

Endpoint::~Endpoint()
{
	if (ep_ != DAT_HANDLE_NULL)
		dat_ep_free(ep_);
}

void Endpoint::free()
{
	ok(dat_ep_free(std::exchange(ep_, DAT_HANDLE_NULL)));
}

DAT_EP_STATE Endpoint::state() const
{
	DAT_EP_STATE state;

	ok(dat_ep_get_status(ep_, &state, nullptr, nullptr));
	return state;
}

void Endpoint::require_state(DAT_EP_STATE expected, Location where) const
{
	DAT_EP_STATE actual = state();

	require(actual == expected,
		"the EP is in state " + std::to_string(actual) + ", not " +
			std::to_string(expected),
		where);
}

namespace {

/* The calls take the list without const, and do not keep or change it. */
DAT_LMR_TRIPLET *list(Segments segments)
{
	return const_cast<DAT_LMR_TRIPLET *>(segments.data());
}

DAT_COUNT count(Segments segments)
{
	return static_cast<DAT_COUNT>(segments.size());
}

DAT_DTO_COOKIE make_cookie(DAT_UINT64 value)
{
	DAT_DTO_COOKIE cookie;

	cookie.as_64 = value;
	return cookie;
}

} // namespace

DAT_RETURN Endpoint::send(Segments segments, DAT_UINT64 cookie, DAT_COMPLETION_FLAGS flags)
{
	return dat_ep_post_send(ep_, count(segments), list(segments), make_cookie(cookie), flags);
}

DAT_RETURN Endpoint::recv(Segments segments, DAT_UINT64 cookie)
{
	return dat_ep_post_recv(ep_, count(segments), list(segments), make_cookie(cookie),
				DAT_COMPLETION_DEFAULT_FLAG);
}

DAT_RETURN Endpoint::write(Segments segments, const DAT_RMR_TRIPLET &remote, DAT_UINT64 cookie,
			   DAT_COMPLETION_FLAGS flags)
{
	return dat_ep_post_rdma_write(ep_, count(segments), list(segments), make_cookie(cookie),
				      &remote, flags);
}

DAT_RETURN Endpoint::read(Segments segments, const DAT_RMR_TRIPLET &remote, DAT_UINT64 cookie,
			  DAT_COMPLETION_FLAGS flags)
{
	return dat_ep_post_rdma_read(ep_, count(segments), list(segments), make_cookie(cookie),
				     &remote, flags);
}

namespace {

DAT_DTO_COMPLETION_EVENT_DATA take_completion(EventQueue &queue, DAT_EP_HANDLE ep,
					      DAT_UINT64 cookie, DAT_DTO_COMPLETION_STATUS status,
					      const Location &where)
{
	DAT_EVENT event = queue.expect(DAT_DTO_COMPLETION_EVENT, where);
	const DAT_DTO_COMPLETION_EVENT_DATA &dto = event.event_data.dto_completion_event_data;

	require(dto.ep_handle == ep, "the completion names another EP", where);
	require(dto.user_cookie.as_64 == cookie,
		"the completion has cookie " + std::to_string(dto.user_cookie.as_64) + ", not " +
			std::to_string(cookie),
		where);
	require(dto.status == status,
		"the completion has status " + std::to_string(dto.status) + ", not " +
			std::to_string(status),
		where);
	return dto;
}

void take_success(EventQueue &queue, DAT_EP_HANDLE ep, DAT_UINT64 cookie, DAT_VLEN length,
		  const Location &where)
{
	auto dto = take_completion(queue, ep, cookie, DAT_DTO_SUCCESS, where);

	require(dto.transfered_length == length,
		"the completion tells of " + std::to_string(dto.transfered_length) +
			" bytes, not " + std::to_string(length),
		where);
}

} // namespace

void Endpoint::expect_recv(DAT_UINT64 cookie, DAT_VLEN length, Location where)
{
	take_success(*recv_, ep_, cookie, length, where);
}

void Endpoint::expect_request(DAT_UINT64 cookie, DAT_VLEN length, Location where)
{
	take_success(*request_, ep_, cookie, length, where);
}

void Endpoint::expect_recv_failure(DAT_UINT64 cookie, DAT_DTO_COMPLETION_STATUS status,
				   Location where)
{
	take_completion(*recv_, ep_, cookie, status, where);
}

void Endpoint::expect_request_failure(DAT_UINT64 cookie, DAT_DTO_COMPLETION_STATUS status,
				      Location where)
{
	take_completion(*request_, ep_, cookie, status, where);
}

DAT_CONNECTION_EVENT_DATA Endpoint::expect_connection(DAT_EVENT_NUMBER number, Location where)
{
	DAT_EVENT event = connect_->expect(number, where);

	require(event.event_data.connect_event_data.ep_handle == ep_,
		"the connection event names another EP", where);
	return event.event_data.connect_event_data;
}

void Endpoint::expect_end(Location where)
{
	DAT_EVENT event = connect_->expect(
		{ DAT_CONNECTION_EVENT_DISCONNECTED, DAT_CONNECTION_EVENT_BROKEN }, where);

	require(event.event_data.connect_event_data.ep_handle == ep_,
		"the connection event names another EP", where);
	require_state(DAT_EP_STATE_DISCONNECTED, where);
}

void Endpoint::expect_broken(const Adapter &adapter, Location where)
{
	if (adapter.iwarp()) {
		expect_end(where);
		return;
	}
	expect_connection(DAT_CONNECTION_EVENT_BROKEN, where);
	require_state(DAT_EP_STATE_DISCONNECTED, where);
}

DAT_RETURN Endpoint::connect(DAT_IA_ADDRESS_PTR address, DAT_CONN_QUAL qual,
			     std::string_view private_data, DAT_TIMEOUT timeout)
{
	return dat_ep_connect(ep_, address, qual, timeout,
			      static_cast<DAT_COUNT>(private_data.size()),
			      const_cast<char *>(private_data.data()), DAT_QOS_BEST_EFFORT,
			      DAT_CONNECT_DEFAULT_FLAG);
}

void Endpoint::end_and_reset(DAT_CLOSE_FLAGS flags, Location where)
{
	ok(dat_ep_disconnect(ep_, flags), where);
	expect_end(where);
	ok(dat_ep_reset(ep_), where);
	require_state(DAT_EP_STATE_UNCONNECTED, where);
}

/* ---- listeners ---- */

Listener::Listener(const Adapter &adapter, DAT_COUNT backlog)
	: queue_(adapter, backlog, DAT_EVD_CR_FLAG)
{
	ok(dat_psp_create_any(adapter.ia(), &qual_, queue_.evd(), DAT_PSP_CONSUMER_FLAG, &psp_));
}

Listener::~Listener()
{
	if (psp_ != DAT_HANDLE_NULL)
		dat_psp_free(psp_);
}

void Listener::free()
{
	ok(dat_psp_free(std::exchange(psp_, DAT_HANDLE_NULL)));
}

DAT_CR_HANDLE Listener::request(Location where)
{
	DAT_EVENT event = queue_.expect(DAT_CONNECTION_REQUEST_EVENT, where);
	const DAT_CR_ARRIVAL_EVENT_DATA &data = event.event_data.cr_arrival_event_data;

	require(data.conn_qual == qual_, "the request names another qualifier", where);
	return data.cr_handle;
}

void Listener::accept(Endpoint &endpoint, std::string_view private_data, Location where)
{
	ok(accept_request(request(where), endpoint, private_data), where);
	endpoint.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED, where);
	/* The peer may have left already; but before the event comes the state. */
	require(endpoint.state() != DAT_EP_STATE_COMPLETION_PENDING,
		"the EP is not CONNECTED yet, its event says that it is", where);
}

DAT_RETURN accept_request(DAT_CR_HANDLE request, Endpoint &endpoint, std::string_view private_data)
{
	return dat_cr_accept(request, endpoint.ep(), static_cast<DAT_COUNT>(private_data.size()),
			     const_cast<char *>(private_data.data()));
}

void serve(Line &line, Listener &listener, Endpoint &endpoint, Location where)
{
	line.send(listener.qual(), where);
	listener.accept(endpoint, {}, where);
}

void dial(Line &line, const Adapter &adapter, Endpoint &endpoint, Location where)
{
	ok(endpoint.connect(adapter.address(), line.receive<DAT_CONN_QUAL>(where)), where);
	endpoint.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED, where);
	endpoint.require_state(DAT_EP_STATE_CONNECTED, where);
}

} // namespace suite
