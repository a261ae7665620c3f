// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "dat_conf.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <sstream>

namespace kdapl {

namespace {

/** DAT_NAME_MAX_LENGTH, which includes the NUL. */
constexpr std::size_t name_size = 256;

constexpr std::size_t num_fields = 8;

/** What is wrong with a line. */
struct Broken {
	std::string reason;
};

bool is_blank(char c) noexcept
{
	/* Files that were written elsewhere end their lines with both. */
	return c == ' ' || c == '\t' || c == '\r';
}

/** Takes the fields off a line. */
class Fields {
public:
	explicit Fields(std::string_view line) noexcept : rest_(line) {}

	/** The next field; none at the end of the line or at a comment. */
	std::optional<std::string> next()
	{
		while (!rest_.empty() && is_blank(rest_.front()))
			rest_.remove_prefix(1);
		if (rest_.empty() || rest_.front() == '#')
			return {};
		return rest_.front() == '"' ? quoted() : word();
	}

private:
	std::string word()
	{
		std::size_t length = 0;

		while (length < rest_.size() && !is_blank(rest_[length]) && rest_[length] != '#') {
			if (rest_[length] == '"')
				throw Broken{ "a quote inside a word" };
			length++;
		}
		std::string word(rest_.substr(0, length));
		rest_.remove_prefix(length);
		return word;
	}

	std::string quoted()
	{
		std::string text;

		for (rest_.remove_prefix(1);; rest_.remove_prefix(1)) {
			if (rest_.empty())
				throw Broken{ "a quote without its end" };
			if (rest_.front() == '"')
				break;
			text += rest_.front() == '\\' ? escaped() : rest_.front();
		}
		rest_.remove_prefix(1);
		if (!rest_.empty() && !is_blank(rest_.front()) && rest_.front() != '#')
			throw Broken{ "no space after a quote" };
		return text;
	}

	/** What a backslash stands before; the caller takes it off. */
	char escaped()
	{
		rest_.remove_prefix(1);
		if (rest_.empty())
			throw Broken{ "a quote without its end" };
		if (rest_.front() != '"' && rest_.front() != '\\')
			throw Broken{ "a backslash before neither quote nor backslash" };
		return rest_.front();
	}

	std::string_view rest_;
};

/** A whole number at the start of a text, which loses it. */
bool take_number(std::string_view &text, std::uint32_t &number) noexcept
{
	const auto [end, error] = std::from_chars(text.begin(), text.end(), number);

	if (error != std::errc())
		return false;
	text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
	return true;
}

/** "1.2" and no more. */
bool read_version(std::string_view text, std::uint32_t &major, std::uint32_t &minor) noexcept
{
	if (!take_number(text, major) || !text.starts_with('.'))
		return false;
	text.remove_prefix(1);
	return take_number(text, minor) && text.empty();
}

void read_name(const std::string &field, ConfEntry &entry)
{
	if (field.empty())
		throw Broken{ "the adapter has no name" };
	if (field.size() >= name_size)
		throw Broken{ "the adapter's name is longer than " + std::to_string(name_size - 1) +
			      " bytes" };
	entry.ia_name = field;
}

void read_api(const std::string &field, ConfEntry &entry)
{
	const std::string_view text = field;

	if ((!text.starts_with('u') && !text.starts_with('k')) ||
	    !read_version(text.substr(1), entry.major, entry.minor))
		throw Broken{ "the API version is \"" + field + "\", not like u1.2 or k1.2" };
	entry.for_kernel = text.starts_with('k');
}

/** One of two words: whether it is the first. */
bool read_choice(const std::string &field, const char *yes, const char *no)
{
	if (field == yes)
		return true;
	if (field == no)
		return false;
	throw Broken{ "\"" + field + "\" is neither " + yes + " nor " + no };
}

/** A vendor's name, and the version of its provider behind that: NAME.1.0. */
void read_provider_version(const std::string &field, ConfEntry &entry)
{
	constexpr const char *digits = "0123456789";
	std::string_view text = field;
	std::uint32_t major, minor;

	const std::size_t dot = text.rfind('.');
	const std::size_t before =
		dot == text.npos || !dot ? text.npos : text.find_last_not_of(digits, dot - 1);
	if (before == text.npos || !read_version(text.substr(before + 1), major, minor))
		throw Broken{ "the provider's version is \"" + field + "\", not like NAME.1.0" };
	entry.provider_version = field;
}

/** Empty for a line that holds nothing. */
std::optional<ConfEntry> parse_line(std::string_view line)
{
	std::array<std::string, num_fields> fields;
	std::size_t count = 0;
	ConfEntry entry;

	if (line.find('\0') != line.npos)
		throw Broken{ "a NUL byte" };
	for (Fields in(line); auto field = in.next(); count++) {
		if (count < num_fields)
			fields[count] = std::move(*field);
	}
	if (!count)
		return {};
	if (count != num_fields)
		throw Broken{ std::to_string(count) + " fields, not " +
			      std::to_string(num_fields) };

	read_name(fields[0], entry);
	read_api(fields[1], entry);
	entry.thread_safe = read_choice(fields[2], "threadsafe", "nonthreadsafe");
	entry.is_default = read_choice(fields[3], "default", "nondefault");
	if (fields[4].empty())
		throw Broken{ "the library has no name" };
	entry.library = fields[4];
	read_provider_version(fields[5], entry);
	entry.instance_data = fields[6];
	entry.platform_data = fields[7];
	return entry;
}

} // namespace

std::string adapter_of(const std::string &instance_data, const std::string &ia_name)
{
	std::istringstream words(instance_data);
	std::string name;
	int port = 0;

	if (!(words >> name))
		return ia_name;
	words >> port;
	return port > 1 ? name + '-' + std::to_string(port) : name;
}

std::vector<ConfEntry> parse_dat_conf(std::string_view text, const ConfProblem &problem)
{
	std::vector<ConfEntry> entries;

	for (unsigned number = 1; !text.empty(); number++) {
		const std::string_view line = text.substr(0, text.find('\n'));
		text.remove_prefix(std::min(line.size() + 1, text.size()));
		try {
			if (auto entry = parse_line(line)) {
				entry->line = number;
				entries.push_back(std::move(*entry));
			}
		} catch (const Broken &broken) {
			problem(number, broken.reason);
		}
	}
	return entries;
}

} // namespace kdapl
