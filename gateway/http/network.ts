/** Whom an address stands for, where what somebody does is counted by it. */
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
