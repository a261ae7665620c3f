/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Prints what a compiler makes of the headers of uDAPL 2.0: sizes, places, numbers.
 * It is built with this project's headers and, where they are, with the
 * distribution's: both must print the same (headers_check.py).
 */
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>

#include <dat2/udat.h>

#include <dat2/dat_registry.h>

#include <dat2/dat_ib_extensions.h>

#define SIZE(type)	printf("sizeof(%s) %zu\n", #type, sizeof(type));
#define AT(type, member) printf("%s.%s %zu\n", #type, #member, offsetof(type, member));
#define VALUE(name)	printf("%s %#llx\n", #name, (unsigned long long)(name));

int main(void)
{
#include "names.h"
	return 0;
}
