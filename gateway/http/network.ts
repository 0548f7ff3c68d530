/** The network that an address stands for, where requests are counted by it. */
import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The address; of IPv6 its network of 64 bits: so they are handed out, and one customer has 2^64 addresses. IPv4 within IPv6, as some proxies
 * write it, is IPv4.
 */
export function toNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.');
}

/** Returns the network that a provider hands out as one piece: 24 bits of IPv4, 48 bits of IPv6. */
export function toWideNetwork(address: string): string {
  const network = toNetwork(address);
  return network
    .split('.')
    .slice(0, isIPv6(address) && network.split('.').length === 8 ? 6 : 3)
    .join('.');
}
