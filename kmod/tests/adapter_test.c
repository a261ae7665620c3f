// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which devices and ports become adapters. The file under test is a part of this one, and
 * this a module of its own, because the other suites play what it has.
 */

#include <kunit/test.h>
#include <linux/device.h>
#include <net/net_namespace.h>
#include <rdma/ib_verbs.h>

/* What kdapl.ko gave to ib_core, which calls it for each device. */
static struct ib_client *client;

static int fake_register_client(struct ib_client *registered)
{
	client = registered;
	return 0;
}

static void fake_unregister_client(struct ib_client *registered)
{
	client = NULL;
}

#define ib_register_client(client)	fake_register_client(client)
#define ib_unregister_client(client)	fake_unregister_client(client)

#include "../adapter.c"
#include "../netdevs.c"

/* No test has an IA. */
void kdapl_ia_kill(struct kdapl_ia *ia)
{
}

#define PORTS	2

/* InfiniBand, with two ports. */
static struct ib_device *make_device(struct kunit *test, u32 driver)
{
	struct ib_device *dev = kunit_kzalloc(test, sizeof(*dev), GFP_KERNEL);
	u32 port;

	KUNIT_ASSERT_NOT_NULL(test, dev);
	dev->port_data = kunit_kcalloc(test, PORTS + 1, sizeof(*dev->port_data),
				       GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, dev->port_data);
	dev->dev.init_name = "fake0";
	dev->ops.driver_id = driver;
	dev->phys_port_cnt = PORTS;
	write_pnet(&dev->coredev.rdma_net, &init_net);
	for (port = 1; port <= PORTS; port++)
		dev->port_data[port].immutable.core_cap_flags =
			RDMA_CORE_PORT_IBA_IB;
	return dev;
}

static int adapter_init(struct kunit *test)
{
	return kdapl_adapter_init();
}

static void adapter_exit(struct kunit *test)
{
	kdapl_adapter_exit();
	KUNIT_EXPECT_EQ(test, kdapl_adapter_count(&init_net), 0);
}

static bool is_served(const char *name)
{
	char label[KDAPL_NAME_MAX];
	struct kdapl_adapter_dev *adapter;

	adapter = kdapl_adapter_get(&init_net, name, label);
	if (!adapter)
		return false;
	kdapl_adapter_put(adapter);
	return !strcmp(label, name);
}

static void each_port_is_one(struct kunit *test)
{
	static const u32 drivers[] = {
		RDMA_DRIVER_UNKNOWN, RDMA_DRIVER_RXE, RDMA_DRIVER_SIW,
		RDMA_DRIVER_MLX5, RDMA_DRIVER_USNIC,
	};
	struct ib_device *dev;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(drivers); i++) {
		dev = make_device(test, drivers[i]);
		KUNIT_EXPECT_EQ(test, client->add(dev), 0);
		KUNIT_EXPECT_EQ(test, kdapl_adapter_count(&init_net), PORTS);
		KUNIT_EXPECT_TRUE(test, is_served("fake0"));
		KUNIT_EXPECT_TRUE(test, is_served("fake0-2"));
		client->remove(dev, NULL);
		KUNIT_EXPECT_EQ(test, kdapl_adapter_count(&init_net), 0);
		KUNIT_EXPECT_FALSE(test, is_served("fake0"));
	}
}

/* rdmavt's: a peer would reach all memory by key 0. That is no error. */
static void hfi1_and_qib_are_refused(struct kunit *test)
{
	static const u32 drivers[] = { RDMA_DRIVER_HFI1, RDMA_DRIVER_QIB };
	struct ib_device *dev;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(drivers); i++) {
		dev = make_device(test, drivers[i]);
		KUNIT_EXPECT_EQ(test, client->add(dev), 0);
		KUNIT_EXPECT_EQ(test, kdapl_adapter_count(&init_net), 0);
		KUNIT_EXPECT_FALSE(test, is_served("fake0"));
		KUNIT_EXPECT_FALSE(test, is_served("fake0-2"));
		/* ib_core says good-bye to every client. */
		client->remove(dev, NULL);
	}
}

static void port_without_connections(struct kunit *test)
{
	struct ib_device *dev = make_device(test, RDMA_DRIVER_MLX5);

	dev->port_data[1].immutable.core_cap_flags &= ~RDMA_CORE_CAP_IB_CM;
	KUNIT_EXPECT_EQ(test, client->add(dev), 0);
	KUNIT_EXPECT_EQ(test, kdapl_adapter_count(&init_net), 1);
	KUNIT_EXPECT_TRUE(test, is_served("fake0-2"));
	client->remove(dev, NULL);
}

/* The peer cuts off what goes to it; a registration does not. */
static void who_is_cut_off(struct kunit *test)
{
	struct ib_device *siw = make_device(test, RDMA_DRIVER_SIW);
	struct ib_device *rxe = make_device(test, RDMA_DRIVER_RXE);

	KUNIT_EXPECT_TRUE(test, kdapl_driver_cuts_off(siw, IB_WC_SEND));
	KUNIT_EXPECT_TRUE(test, kdapl_driver_cuts_off(siw, IB_WC_RDMA_WRITE));
	KUNIT_EXPECT_TRUE(test, kdapl_driver_cuts_off(siw, IB_WC_RDMA_READ));
	KUNIT_EXPECT_FALSE(test, kdapl_driver_cuts_off(siw, IB_WC_REG_MR));
	KUNIT_EXPECT_FALSE(test, kdapl_driver_cuts_off(siw, IB_WC_LOCAL_INV));
	KUNIT_EXPECT_FALSE(test, kdapl_driver_cuts_off(rxe, IB_WC_SEND));
}

static struct kunit_case adapter_cases[] = {
	KUNIT_CASE(each_port_is_one),
	KUNIT_CASE(hfi1_and_qib_are_refused),
	KUNIT_CASE(port_without_connections),
	KUNIT_CASE(who_is_cut_off),
	{}
};

static struct kunit_suite adapter_suite = {
	.name = "kdapl-adapter",
	.init = adapter_init,
	.exit = adapter_exit,
	.test_cases = adapter_cases,
};

kunit_test_suite(adapter_suite);

MODULE_DESCRIPTION("tests of what becomes an adapter");
MODULE_LICENSE("Dual BSD/GPL");
