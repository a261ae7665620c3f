/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Prints what a compiler makes of the headers of uDAPL 2.0: sizes, places, numbers, names.
 * It is built with this project's headers and, where they are, with the
 * distribution's: both must print the same (headers_check.py).
 */
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <dat2/udat.h>

#include <dat2/dat_registry.h>
#include <dat2/udat_redirection.h>

#include <dat2/dat_ib_extensions.h>

#define SIZE(type) printf("sizeof(%s) %zu\n", #type, sizeof(type));
#define AT(type, member) printf("%s.%s %zu\n", #type, #member, offsetof(type, member));
#define VALUE(name) printf("%s %#llx\n", #name, (unsigned long long)(name));
#define TEXT(name) printf("%s %s\n", #name, name);

/* Of a macro over dat_extension_op(): the operation, and where its arguments go. */
#define AS_TEXT(...) #__VA_ARGS__
#define dat_extension_op(...) AS_TEXT(__VA_ARGS__)
#define OPERATION(call) operation(#call, call);
/* The same of a macro over a provider's table: the entry, and where its arguments go. */
#define ENTRY(call) operation(#call, AS_TEXT(call));

static int ends_with(const char *word, size_t length, const char *end)
{
	return length > strlen(end) && !strncmp(word + length - strlen(end), end, strlen(end));
}

/* Of the words the operation or entry and the arguments, which are letters; no casts. */
static void operation(const char *call, const char *words)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz0123456789";
	size_t length;

	printf("%s ", call);
	for (; *words; words += length + strcspn(words + length, letters)) {
		length = strspn(words, letters);
		if (length == 1 || ends_with(words, length, "_func") ||
		    (words[length] != ')' && ends_with(words, length, "_OP")))
			printf("%.*s,", (int)length, words);
		if (!length)
			length = strcspn(words, letters);
	}
	printf("\n");
}

int main(void)
{
#include "names.h"
#ifndef DISTRIBUTION
	/* There they end with a semicolon. */
	OPERATION(dat_ib_collective_set_clock(a, b, c))
	OPERATION(dat_ib_collective_read_clock(a, b))
#endif
	return 0;
}
