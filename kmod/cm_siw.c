// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What soft iWARP overlooks while it accepts a connection.
 *
 * siw answers the request before it takes the TCP socket over from its connection
 * manager. What the peer sends upon the answer can arrive in between. It stays in
 * the socket, and siw hears of it no earlier than with the peer's next message, for
 * which both may wait for ever; and the message is lost when the peer has left behind
 * it. So as soon as siw has it, the socket is told again of data that is still there.
 *
 * Not so on the side that connects. There siw tells the socket itself when data
 * came early, and does it without the socket's lock, so that a second time could be
 * at the same time. Nothing comes early where the side that connected sends first,
 * as iWARP has it.
 */

#include <linux/tcp.h>
#include <net/inet6_hashtables.h>
#include <net/inet_hashtables.h>
#include <net/sock.h>

#include "cm.h"
#include "ep.h"
#include "ia.h"

static struct sock *siw_socket_ipv4(struct net *net,
				    const struct sockaddr_storage *local,
				    const struct sockaddr_storage *remote)
{
	const struct sockaddr_in *to = (const struct sockaddr_in *)local;
	const struct sockaddr_in *from = (const struct sockaddr_in *)remote;

	return __inet_lookup_established(net,
					 net->ipv4.tcp_death_row.hashinfo,
					 from->sin_addr.s_addr, from->sin_port,
					 to->sin_addr.s_addr,
					 ntohs(to->sin_port), 0, 0);
}

static struct sock *siw_socket_ipv6(struct net *net,
				    const struct sockaddr_storage *local,
				    const struct sockaddr_storage *remote)
{
#if IS_ENABLED(CONFIG_IPV6)
	const struct sockaddr_in6 *to = (const struct sockaddr_in6 *)local;
	const struct sockaddr_in6 *from = (const struct sockaddr_in6 *)remote;

	return __inet6_lookup_established(net,
					  net->ipv4.tcp_death_row.hashinfo,
					  &from->sin6_addr, from->sin6_port,
					  &to->sin6_addr, ntohs(to->sin6_port),
					  to->sin6_scope_id, 0);
#else
	return NULL;
#endif
}

/* The connection's own socket, with a reference: nobody else has these ports. */
static struct sock *siw_socket(struct net *net, const struct rdma_cm_id *id)
{
	const struct sockaddr_storage *local = &id->route.addr.src_addr;
	const struct sockaddr_storage *remote = &id->route.addr.dst_addr;
	struct sock *sk = NULL;

	rcu_read_lock();
	if (local->ss_family == AF_INET)
		sk = siw_socket_ipv4(net, local, remote);
	else if (local->ss_family == AF_INET6)
		sk = siw_socket_ipv6(net, local, remote);
	rcu_read_unlock();
	return sk;
}

void kdapl_cm_wake_siw(struct kdapl_ep *ep, const struct rdma_cm_id *id)
{
	struct kdapl_ia *ia = ep->obj.ia;
	struct sock *sk;

	if (ia->dev->ops.driver_id != RDMA_DRIVER_SIW)
		return;
	sk = siw_socket(ia->net, id);
	if (!sk)
		return;
	if (sk_fullsock(sk)) {
		lock_sock(sk);
		/* As it comes from the network. */
		local_bh_disable();
		if (!skb_queue_empty(&sk->sk_receive_queue))
			sk->sk_data_ready(sk);
		local_bh_enable();
		release_sock(sk);
	}
	sock_gen_put(sk);
}
