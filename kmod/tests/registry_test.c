// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The door of the kernel: which adapters there are, and that they are all. */

#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/string.h>

#include <dat2/kdat_ext.h>
#include <dat2/kdat_redirection.h>

#include "../adapter.h"
#include "../kapi/kapi.h"

static struct kdapl_adapter_dev adapter;
static const char * const adapters[] = { "fake0", "fake1" };
static int adapter_refs, adapters_gone;

/* What the rest of the module would give. */
struct kdapl_adapter_dev *kdapl_adapter_get(struct net *net, const char *name,
					    char *label)
{
	if (match_string(adapters, ARRAY_SIZE(adapters), name) < 0)
		return NULL;
	adapter_refs++;
	return &adapter;
}

void kdapl_adapter_put(struct kdapl_adapter_dev *found)
{
	adapter_refs--;
}

u32 kdapl_adapter_count(struct net *net)
{
	return ARRAY_SIZE(adapters);
}

int kdapl_adapter_describe(struct net *net, struct kdapl_adapter *arg)
{
	if (arg->index + adapters_gone >= ARRAY_SIZE(adapters))
		return -ENODEV;
	strscpy(arg->name, adapters[arg->index], sizeof(arg->name));
	return 0;
}

#define EXPECT_DONE(test, call) \
	KUNIT_EXPECT_EQ(test, (DAT_RETURN)DAT_SUCCESS, call)
#define EXPECT_ERROR(test, call, type, subtype) \
	KUNIT_EXPECT_EQ(test, DAT_ERROR(type, subtype), call)

static int registry_init(struct kunit *test)
{
	adapter_refs = 0;
	adapters_gone = 0;
	return 0;
}

static void registry_exit(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, adapter_refs, 0);
}

static void registry_lists(struct kunit *test)
{
	DAT_PROVIDER_INFO *info = kunit_kcalloc(test, 2, sizeof(*info),
						GFP_KERNEL);
	DAT_PROVIDER_INFO *list[] = { &info[0], &info[1] };
	DAT_COUNT n = -1;

	KUNIT_ASSERT_NOT_NULL(test, info);
	EXPECT_DONE(test, dat_registry_list_providers(2, &n, list));
	KUNIT_EXPECT_EQ(test, n, 2);
	KUNIT_EXPECT_STREQ(test, info[1].ia_name, "fake1");
	KUNIT_EXPECT_EQ(test, info[1].dapl_version_major, DAT_VERSION_MAJOR);
	/* Too short: how long it must be. */
	EXPECT_ERROR(test, dat_registry_list_providers(1, &n, list),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG1);
	KUNIT_EXPECT_EQ(test, n, 2);
	EXPECT_ERROR(test, dat_registry_list_providers(-1, &n, list),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG1);
	EXPECT_ERROR(test, dat_registry_list_providers(2, NULL, list),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	/* One goes between the count and the look. */
	adapters_gone = 1;
	EXPECT_DONE(test, dat_registry_list_providers(2, &n, list));
	KUNIT_EXPECT_EQ(test, n, 1);
}

static void registry_one_by_one(struct kunit *test)
{
	DAT_PROVIDER_INFO info = {};

	EXPECT_DONE(test, dat_ext_registry_entry(1, &info));
	KUNIT_EXPECT_STREQ(test, info.ia_name, "fake1");
	KUNIT_EXPECT_EQ(test, info.dapl_version_major, DAT_VERSION_MAJOR);
	EXPECT_ERROR(test, dat_ext_registry_entry(2, &info),
		     DAT_PROVIDER_NOT_FOUND, DAT_NAME_NOT_REGISTERED);
	EXPECT_ERROR(test, dat_ext_registry_entry(-1, &info),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG1);
	EXPECT_ERROR(test, dat_ext_registry_entry(0, NULL),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
}

static void registry_related(struct kunit *test)
{
	DAT_HA_RELATIONSHIP answer = DAT_HA_UNKNOWN;

	EXPECT_DONE(test, dat_registry_providers_related("fake0", "fake1",
							 &answer));
	KUNIT_EXPECT_EQ(test, (int)answer, DAT_HA_FALSE);
	EXPECT_ERROR(test, dat_registry_providers_related("fake0", "other",
							  &answer),
		     DAT_PROVIDER_NOT_FOUND, DAT_NAME_NOT_REGISTERED);
	EXPECT_ERROR(test, dat_registry_providers_related("other", "fake0",
							  &answer),
		     DAT_PROVIDER_NOT_FOUND, DAT_NAME_NOT_REGISTERED);
	EXPECT_ERROR(test, dat_registry_providers_related(NULL, "fake0", &answer),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG1);
	EXPECT_ERROR(test, dat_registry_providers_related("fake0", NULL, &answer),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	EXPECT_ERROR(test, dat_registry_providers_related("fake0", "fake1", NULL),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
}

static void registry_ha_related(struct kunit *test)
{
	struct kapi_obj ia = {
		.magic = KAPI_MAGIC,
		.type = DAT_HANDLE_TYPE_IA,
	};
	DAT_BOOLEAN answer = DAT_TRUE;

	EXPECT_DONE(test, kapi_ia_ha_related(&ia, "fake1", &answer));
	KUNIT_EXPECT_EQ(test, (int)answer, DAT_FALSE);
	EXPECT_ERROR(test, kapi_ia_ha_related(&ia, "other", &answer),
		     DAT_PROVIDER_NOT_FOUND, DAT_NAME_NOT_REGISTERED);
	EXPECT_ERROR(test, kapi_ia_ha_related(NULL, "fake1", &answer),
		     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_IA);
	EXPECT_ERROR(test, kapi_ia_ha_related(&ia, NULL, &answer),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	EXPECT_ERROR(test, kapi_ia_ha_related(&ia, "fake1", NULL),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
}

/* Entries that are none, for both calls. */
static void expect_bad_entries(struct kunit *test, DAT_PROVIDER_INFO *info,
			       typeof(dat_registry_add_provider) *call)
{
	EXPECT_ERROR(test, call(NULL, info), DAT_INVALID_PARAMETER,
		     DAT_INVALID_ARG1);
	EXPECT_ERROR(test, call(&kapi_provider, NULL), DAT_INVALID_PARAMETER,
		     DAT_INVALID_ARG2);
	info->ia_name[0] = '\0';
	EXPECT_ERROR(test, call(&kapi_provider, info), DAT_INVALID_PARAMETER,
		     DAT_INVALID_ARG2);
	memset(info->ia_name, 'a', sizeof(info->ia_name));
	EXPECT_ERROR(test, call(&kapi_provider, info), DAT_INVALID_PARAMETER,
		     DAT_INVALID_ARG2);
}

static void registry_takes_no_other(struct kunit *test)
{
	DAT_PROVIDER_INFO *info = kunit_kzalloc(test, sizeof(*info), GFP_KERNEL);
	DAT_PROVIDER *other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, info);
	KUNIT_ASSERT_NOT_NULL(test, other);
	strscpy(info->ia_name, "other", sizeof(info->ia_name));
	EXPECT_ERROR(test, dat_registry_add_provider(other, info),
		     DAT_INSUFFICIENT_RESOURCES, DAT_NO_SUBTYPE);
	strscpy(info->ia_name, "fake0", sizeof(info->ia_name));
	EXPECT_ERROR(test, dat_registry_add_provider(other, info),
		     DAT_PROVIDER_ALREADY_REGISTERED, DAT_NO_SUBTYPE);
	expect_bad_entries(test, info, dat_registry_add_provider);
}

static void registry_keeps_its_own(struct kunit *test)
{
	DAT_PROVIDER_INFO *info = kunit_kzalloc(test, sizeof(*info), GFP_KERNEL);
	DAT_PROVIDER *other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, info);
	KUNIT_ASSERT_NOT_NULL(test, other);
	strscpy(info->ia_name, "fake0", sizeof(info->ia_name));
	EXPECT_ERROR(test, dat_registry_remove_provider(&kapi_provider, info),
		     DAT_PROVIDER_IN_USE, DAT_NO_SUBTYPE);
	EXPECT_ERROR(test, dat_registry_remove_provider(other, info),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG1);
	strscpy(info->ia_name, "other", sizeof(info->ia_name));
	EXPECT_ERROR(test, dat_registry_remove_provider(&kapi_provider, info),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG1);
	expect_bad_entries(test, info, dat_registry_remove_provider);
}

static struct kunit_case registry_cases[] = {
	KUNIT_CASE(registry_lists),
	KUNIT_CASE(registry_one_by_one),
	KUNIT_CASE(registry_related),
	KUNIT_CASE(registry_ha_related),
	KUNIT_CASE(registry_takes_no_other),
	KUNIT_CASE(registry_keeps_its_own),
	{}
};

static struct kunit_suite registry_suite = {
	.name = "kdapl-kernel-registry",
	.init = registry_init,
	.exit = registry_exit,
	.test_cases = registry_cases,
};

kunit_test_suite(registry_suite);
