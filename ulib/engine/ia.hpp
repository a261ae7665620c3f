// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * IA: an opened adapter. It owns the open device, the mappings, the submission
 * ring and the list of all objects made from it.
 */
#pragma once

#include "address.hpp"
#include "counters.hpp"
#include "device.hpp"
#include "lmr_table.hpp"
#include "mapping.hpp"
#include "object.hpp"
#include "spin.hpp"
#include "sq.hpp"

#include <mutex>
#include <string>
#include <string_view>

namespace kdapl {

class Child;
class Evd;

/** What a face keeps with an IA. */
class FaceData {
public:
	virtual ~FaceData() = default;
};

/** Prefix of an adapter's name: the program copes with relaxed ordering. */
inline constexpr std::string_view ro_aware_prefix = "RO_AWARE_";

/** How to open an adapter. */
struct IaOpen {
	std::string_view name; /**< without ro_aware_prefix */
	bool ro_aware = false;
	std::uint32_t async_qlen = 1; /**< least length of the asynchronous EVD */
	/** Another IA's, which gets asynchronous events then; the caller keeps it. */
	const Evd *lent_evd = nullptr;
	/** Whoever has the asynchronous EVD, it is nobody that the program can ask. */
	bool async_elsewhere = false;
	const void *provider = nullptr; /**< first word of all handles */
	bool tell_operation = false; /**< Event::operation */
	bool mixes_styles = false; /**< Ep::describe() */
};

class Ia final : public Object {
public:
	static constexpr Kind kind = Kind::ia;

	/** Open an adapter, with an asynchronous EVD unless it was lent one. */
	static Status open(const IaOpen &args, Ref<Ia> &ia);

	/** Free everything and wake who waits. Fails only where another thread closes it. */
	Status close_abruptly() noexcept;

	/** Close if nothing is left that the program made. */
	Status close_gracefully() noexcept;

	/** What the module told at opening. */
	const kdapl_ia_query &attributes() const noexcept { return attributes_; }
	const kdapl_query &module_attributes() const noexcept { return module_; }
	bool is_iwarp() const noexcept { return attributes_.transport == KDAPL_TRANSPORT_IWARP; }
	/**
	 * The address that programs are told, of no family without any: they do not expect
	 * that there is none. Static as long as the IA.
	 */
	const sockaddr *address() const noexcept
	{
		return reinterpret_cast<const sockaddr *>(&address_);
	}
	Handle async_evd() const noexcept { return async_evd_; }
	/** See IaOpen. */
	bool async_elsewhere() const noexcept { return async_elsewhere_; }

	/** An EP may notify of its two directions in two ways on one EVD. */
	bool mixes_styles() const noexcept { return mixes_styles_; }
	/** The module's name for it, 0 when it is another IA's or there is none. */
	std::uint32_t async_evd_id() const noexcept { return async_evd_id_; }
	const void *provider() const noexcept { return provider_; }

	/** For the face that opened it, before it shows the handle to anybody. */
	void set_face_data(std::unique_ptr<FaceData> data) noexcept
	{
		face_data_ = std::move(data);
	}
	FaceData *face_data() const noexcept { return face_data_.get(); }

	Device &device() noexcept { return *device_; }
	Mappings &mappings() noexcept { return mappings_; }
	Sq &sq() noexcept { return sq_; }
	/** Guarded by sq().mutex(). */
	LmrTable &lmrs() noexcept { return lmrs_; }

	Spin &spin() noexcept { return spin_; }

	/** Count what is neither the making nor the freeing of a child. */
	void count(IaCounter counter) noexcept;
	std::uint64_t counter(std::uint32_t number, bool reset) noexcept override;

	/** KDAPL_DOORBELL. */
	Status ring_doorbell() noexcept;
	/** The same after a lone request, which the module may poll an EVD for. */
	Status ring_doorbell_and_poll(std::uint32_t evd) noexcept;

	/** Publish a finished child; empty when the IA was closed meanwhile. */
	template <class T>
	Ref<T> adopt(Draft<T> &draft) noexcept
	{
		std::lock_guard lock(objects_mutex_);

		if (closed_)
			return {};
		link(*draft);
		return draft.publish();
	}

	/** Map what the module tells of a new child; or have it free the child again. */
	template <class T>
	Status map_or_discard(const kdapl_map &piece, const Child &child, Shared<const T> &status);

	/** Have the module free what a child that was not adopted has there. */
	void discard(std::uint32_t type, std::uint32_t id) noexcept;

	/** A message of a peer has ended an RMR context: whose it was, knows from now on. */
	void lose(std::uint32_t context) noexcept;

	/** Free a child: in the module, then its handle. */
	Status free(Child &child, const ErrnoMeaning &meaning) noexcept;

	/** Free a child's handle alone: the module's part is gone already. */
	void retire(Child &child) noexcept;

	Ia(Slot *slot, std::unique_ptr<Device> device, const void *provider) noexcept;

private:
	Status open_device_file(const IaOpen &args);
	Status make_async_evd(const Ref<Ia> &self, std::uint32_t qlen);
	void choose_address() noexcept;
	void link(Child &child) noexcept;
	bool has_consumer_objects() const noexcept;
	void free_everything() noexcept;
	Ref<Child> nth_of(Kind kind, std::size_t n) noexcept;
	void discard_requests() noexcept;
	void release_cnos() noexcept;
	void free_all(Kind kind) noexcept;
	void retire_self() noexcept;

	std::unique_ptr<Device> device_;
	Mappings mappings_;
	Sq sq_;
	Spin spin_;
	LmrTable lmrs_;
	kdapl_ia_query attributes_{};
	kdapl_query module_{};
	sockaddr_storage address_{};
	const void *provider_;
	Handle async_evd_ = nullptr;
	std::uint32_t async_evd_id_ = 0;
	bool async_elsewhere_ = false;
	bool mixes_styles_ = false;
	std::unique_ptr<FaceData> face_data_;

	std::mutex objects_mutex_; /**< all below */
	Object *objects_ = nullptr;
	bool closed_ = false;
	Counters<ia_counters> counters_;
};

/** An object that belongs to an IA. */
class Child : public Object {
public:
	Ia &ia() const noexcept { return *ia_; }
	const Ref<Ia> &ia_ref() const noexcept { return ia_; }

	/** The IA is being closed: whoever waits for the object stops. */
	virtual void leave() noexcept {}

	/** A message of a peer has ended an RMR context. */
	virtual void lose(std::uint32_t /*context*/) noexcept {}

protected:
	Child(Slot *slot, Kind kind, std::uint32_t type, Ref<Ia> ia) noexcept
		: Object(slot, kind), type_(type), ia_(std::move(ia))
	{
	}

private:
	friend class Ia;

	std::uint32_t type_; /**< enum kdapl_obj_type */
	Ref<Ia> ia_;
};

/** The adapter that an object is, or belongs to. */
inline Ia &ia_of(Object &object) noexcept
{
	return object.kind_of() == Kind::ia ? static_cast<Ia &>(object) :
					      static_cast<Child &>(object).ia();
}

template <class T>
Status Ia::map_or_discard(const kdapl_map &piece, const Child &child, Shared<const T> &status)
{
	try {
		status = mappings_.get<const T>(piece, false);
	} catch (...) {
		discard(child.type_, child.id());
		throw;
	}
	if (status)
		return success;
	discard(child.type_, child.id());
	return fail(Type::insufficient_resources, Sub::resource_memory);
}

} // namespace kdapl
