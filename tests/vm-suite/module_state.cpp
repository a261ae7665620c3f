// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "module_state.hpp"

#include "failure.hpp"
#include "settings.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <fstream>
#include <sys/ioctl.h>
#include <unistd.h>

namespace suite {

namespace {

const std::string module_folder = "/sys/module/kdapl";

/* A module that stands on kdapl, like its KUnit suites, is a user for good. */
int users_before = 0;

std::string read_word(const std::string &path)
{
	std::ifstream file(path);
	std::string word;

	file >> word;
	require(!file.bad() && file.is_open(), "cannot read " + path);
	return word;
}

void write_word(const std::string &path, const std::string &word)
{
	std::ofstream file(path);

	file << word << std::endl;
	require(file.good(), "cannot write " + path);
}

} // namespace

kdapl_query module_query()
{
	kdapl_query query{};
	int fd = static_cast<int>(sys(open(KDAPL_DEVICE, O_RDWR | O_CLOEXEC)));

	query.size = sizeof query;
	int result = ioctl(fd, KDAPL_QUERY, &query);
	close(fd);
	sys(result);
	return query;
}

int module_users()
{
	return std::stoi(read_word(module_folder + "/refcnt"));
}

void remember_module_users()
{
	users_before = module_users();
}

void expect_nothing_left()
{
	EXPECT_EQ(module_users(), users_before) << "the programs are gone, the module is in use";
	EXPECT_EQ(module_query().pinned, 0U) << "the programs are gone, their pages are pinned";
}

std::string module_parameter(const std::string &name)
{
	return read_word(module_folder + "/parameters/" + name);
}

ModuleParameter::ModuleParameter(const std::string &name, const std::string &value)
	: path_(module_folder + "/parameters/" + name), before_(read_word(path_))
{
	write_word(path_, value);
}

ModuleParameter::~ModuleParameter()
{
	write_word(path_, before_);
}

std::int64_t hardware_counter(const std::string &name)
{
	std::ifstream file("/sys/class/infiniband/" + adapter_name() + "/ports/1/hw_counters/" +
			   name);
	std::int64_t value = -1;

	file >> value;
	return value;
}

} // namespace suite
