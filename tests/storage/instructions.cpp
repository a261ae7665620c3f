// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A plugin of QEMU's, for scripts/vm --plugin: counts the instructions that all processors
 * of an emulated machine execute, idle loops and waits for locks included. Each time that
 * a program there runs mark (mark.cpp), their number so far is appended, a line of its own,
 * to the file that the option out= names.
 *
 * What QEMU has for plugins (version 1 of its interface) is declared here: Debian's packages
 * have no header of it.
 */

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "mark.hpp"

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info_t;

extern "C" {
using qemu_plugin_id_t = std::uint64_t;
using vcpu_function = void (*)(unsigned int vcpu, void *user);
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   void (*function)(qemu_plugin_id_t id,
							    qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_cb(qemu_plugin_tb *tb, vcpu_function function,
					  qemu_plugin_cb_flags flags, void *user);
void qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_insn *insn, vcpu_function function,
					    qemu_plugin_cb_flags flags, void *user);
std::size_t qemu_plugin_tb_n_insns(const qemu_plugin_tb *tb);
qemu_plugin_insn *qemu_plugin_tb_get_insn(const qemu_plugin_tb *tb, std::size_t index);
const void *qemu_plugin_insn_data(const qemu_plugin_insn *insn);
std::size_t qemu_plugin_insn_size(const qemu_plugin_insn *insn);

// What QEMU looks for.
extern __attribute__((visibility("default"))) int qemu_plugin_version;
__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id,
							       const qemu_info_t *info, int argc,
							       char **argv);
}

int qemu_plugin_version = 1;

namespace {

constexpr std::size_t most_vcpus = 64;

// Only its own thread adds to it, so that no addition need be atomic.
struct alignas(64) Count {
	std::atomic<std::uint64_t> instructions;
};

std::array<Count, most_vcpus> counts;
std::FILE *out;

// Instructions, of a block that a processor begins: @size is their number.
void executed(unsigned int vcpu, void *size)
{
	auto &count = counts[vcpu % most_vcpus].instructions;

	count.store(count.load(std::memory_order_relaxed) + reinterpret_cast<std::uintptr_t>(size),
		    std::memory_order_relaxed);
}

void marked(unsigned int, void *)
{
	std::uint64_t sum = 0;

	for (const auto &count : counts)
		sum += count.instructions.load(std::memory_order_relaxed);
	std::fprintf(out, "%llu\n", static_cast<unsigned long long>(sum));
	std::fflush(out);
}

bool is_mark(const qemu_plugin_insn *insn)
{
	return qemu_plugin_insn_size(insn) == mark_code.size() &&
	       !std::memcmp(qemu_plugin_insn_data(insn), mark_code.data(), mark_code.size());
}

void translated(qemu_plugin_id_t, qemu_plugin_tb *tb)
{
	const std::size_t size = qemu_plugin_tb_n_insns(tb);

	qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, QEMU_PLUGIN_CB_NO_REGS,
					     reinterpret_cast<void *>(size));
	for (std::size_t i = 0; i < size; i++) {
		qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		if (is_mark(insn))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, marked, QEMU_PLUGIN_CB_NO_REGS,
							       nullptr);
	}
}

} // namespace

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *, int argc, char **argv)
{
	constexpr std::string_view option = "out=";

	if (argc != 1 || !std::string_view(argv[0]).starts_with(option)) {
		std::fputs("instructions: it takes one option, out=FILE\n", stderr);
		return -1;
	}
	out = std::fopen(argv[0] + option.size(), "w");
	if (!out) {
		std::perror(argv[0] + option.size());
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
