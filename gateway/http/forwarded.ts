/** Finds the address of a client behind reverse proxies. */
import { BlockList, isIP } from 'node:net';

/** Reverse proxies of ours: how many, on loopback and private addresses; or their addresses and networks. */
export type TrustedProxies = number | readonly string[];

// Loopback, private, link-local and carrier-grade NAT (RFC 1918, 3927, 4193, 4291, 6598): networks that clients of the internet have no address in.
const nearby = toBlockList([
  ...['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '100.64.0.0/10'],
  ...['::1', 'fc00::/7', 'fe80::/10'],
]);

function toBlockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

function includes(list: BlockList, address: string): boolean {
  return isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Returns a function that finds a client's address from the connection's peer and X-Forwarded-For. Each proxy appends the address that it
 * saw, so entries further left come from the client and prove nothing. The header counts only if the peer is a proxy: a client that
 * connects directly cannot choose its address.
 *
 *   - a number N: the peer has a loopback or private address, and the Nth entry from the right is the client
 *   - addresses and networks: the first entry from the right that is not a proxy is the client
 */
export function createAddressFinder(trusted: TrustedProxies): (peer: string, forwardedFor: string) => string {
  if (typeof trusted === 'number') {
    return (peer, forwardedFor) => {
      if (trusted === 0 || forwardedFor === '' || !includes(nearby, peer)) return peer;
      const entry = forwardedFor.split(',').at(-trusted)?.trim() ?? '';
      return isIP(entry) === 0 ? peer : entry;
    };
  }
  const proxies = toBlockList(trusted);
  return (peer, forwardedFor) => {
    let address = peer;
    for (const entry of forwardedFor.split(',').reverse()) {
      if (!includes(proxies, address) || isIP(entry.trim()) === 0) break;
      address = entry.trim();
    }
    return address;
  };
}
