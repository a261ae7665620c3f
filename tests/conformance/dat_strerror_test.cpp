// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_strerror(3DAT)

#include "result.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace suite {
namespace {

struct Code {
	std::string name;
	DAT_UINT32 value;
};

/** The enumerators of an enumeration of the public header. */
std::vector<Code> codes_of(const std::string &enumeration)
{
	std::ifstream file(DAT_ERROR_HEADER);
	const std::string text(std::istreambuf_iterator<char>(file), {});
	const std::size_t begin = text.find("enum " + enumeration + " {");
	require(begin != std::string::npos, "the header has no " + enumeration);
	const std::string body = text.substr(begin, text.find('}', begin) - begin);
	const std::regex enumerator(R"((DAT_\w+) = (0x[0-9a-f]+))");
	std::vector<Code> codes;

	for (std::sregex_iterator i(body.begin(), body.end(), enumerator), end; i != end; ++i)
		codes.push_back(
			{ (*i)[1], static_cast<DAT_UINT32>(std::stoul((*i)[2], nullptr, 0)) });
	return codes;
}

/* "converts a DAT return code into human readable strings": of every type */
TEST(DatStrerror, DescriptionMajorMessageOfEveryType)
{
	const std::vector<Code> types = codes_of("dat_return_type");

	ASSERT_EQ(types.size(), 22U);
	for (const Code &type : types) {
		const char *major = nullptr, *minor = nullptr;
		ok(dat_strerror(DAT_ERROR(type.value, DAT_NO_SUBTYPE), &major, &minor));
		EXPECT_EQ(major, type.name);
		EXPECT_STREQ(minor, "");
	}
}

/* "minor_message is a string-converted DAT_SUBTYPE_STATUS": of every subtype */
TEST(DatStrerror, DescriptionMinorMessageOfEverySubtype)
{
	const std::vector<Code> subtypes = codes_of("dat_return_subtype");

	ASSERT_EQ(subtypes.size(), 0x67U);
	for (const Code &subtype : subtypes) {
		const char *major = nullptr, *minor = nullptr;
		if (subtype.value == DAT_NO_SUBTYPE)
			continue;
		ok(dat_strerror(DAT_ERROR(DAT_INVALID_STATE, subtype.value), &major, &minor));
		EXPECT_STREQ(major, "DAT_INVALID_STATE");
		EXPECT_EQ(minor, subtype.name);
	}
}

/* "succeeds when DAT_SUCCESS is passed in" */
TEST(DatStrerror, DescriptionSuccess)
{
	const char *major = nullptr, *minor = nullptr;

	ok(dat_strerror(DAT_SUCCESS, &major, &minor));
	EXPECT_STREQ(major, "DAT_SUCCESS");
	EXPECT_STREQ(minor, "");
}

/* "If an undefined DAT_RETURN value was passed" */
TEST(DatStrerror, InvalidParameterUndefinedValue)
{
	const char *major, *minor;

	for (DAT_RETURN value : { DAT_ERROR(0x00150000, 0), DAT_ERROR(0x3fff0000, 0),
				  DAT_ERROR(DAT_ABORT, 0x67), DAT_ERROR(DAT_ABORT, 0xffff) })
		refused(dat_strerror(value, &major, &minor), DAT_INVALID_PARAMETER,
			DAT_INVALID_ARG1);
}

TEST(DatStrerror, InvalidParameterNowhereToPutIt)
{
	const char *message;

	refused(dat_strerror(DAT_SUCCESS, nullptr, &message), DAT_INVALID_PARAMETER,
		DAT_INVALID_ARG2);
	refused(dat_strerror(DAT_SUCCESS, &message, nullptr), DAT_INVALID_PARAMETER,
		DAT_INVALID_ARG3);
}

} // namespace
} // namespace suite
