/**
 * The one guard before everything that leaves for an address a customer named: webhooks, tools, media (decisions
 * section 6). It resolves every record of the host, refuses the host when any of them is not a public unicast address, and
 * gives the addresses that were checked; the connector connects to exactly those. So a name that resolves to something
 * else a moment later (DNS rebinding) gains nothing.
 *
 * What is public is an allow-list: IPv4 unicast outside every special range, and IPv6 inside 2000::/3 (the only space IANA has
 * given out) outside every special range. Loopback, private, link-local, CGNAT, multicast, reserved, IPv4-mapped and
 * IPv4-compatible, NAT64, 6to4, Teredo and unique-local addresses all fall through it.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What may be connected to: the public internet; also loopback; everything. */
export type Reach = 'public' | 'loopback' | 'any';

/** The address or the URL is not one that the service connects to. */
export class BlockedAddress extends Error {
  override readonly name = 'BlockedAddress';
}

/** All addresses of a host, of both families; rejects with the resolver's error when there are none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export interface CheckedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

export interface UrlRule {
  readonly reach: Reach;
  /** Production demands https. Default false. */
  readonly httpsOnly?: boolean;
}

type Standing = 'public' | 'loopback' | 'other';

/** Where a textual IP address lies. */
export function standingOf(address: string): Standing {
  // A zone (`fe80::1%eth0`) only ever names something local.
  if (isIP(address) === 0 || address.includes('%')) return 'other';
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (range === 'loopback') return 'loopback';
  if (range !== 'unicast') return 'other';
  if (!('parts' in parsed)) return 'public';
  return ((parsed.parts[0] ?? 0) & 0xe000) === 0x2000 ? 'public' : 'other';
}

/** Whether an address may be connected to. */
export function isAllowed(address: string, reach: Reach): boolean {
  if (reach === 'any') return true;
  const standing = standingOf(address);
  return standing === 'public' || (reach === 'loopback' && standing === 'loopback');
}

/** A URL's host without the brackets of IPv6. The URL parser has already turned every other notation of IPv4 into four decimals. */
export function hostOf(url: URL): string {
  const { hostname } = url;
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/** Why a URL is refused before anything is resolved; undefined when it is not. */
export function refusalOf(url: URL, rule: UrlRule): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'only http and https are spoken';
  if (rule.httpsOnly === true && url.protocol !== 'https:') return 'https is required';
  if (url.username !== '' || url.password !== '') return 'user information in the address is not accepted';
  const host = hostOf(url);
  if (isIP(host) !== 0 && !isAllowed(host, rule.reach)) return 'the address is not a public one';
  if (rule.reach === 'public' && isLocalName(host)) return 'the address is not a public one';
  return undefined;
}

/** `localhost` and everything under it is loopback by definition (RFC 6761, section 6.3), and never asked of DNS. */
export function isLocalName(host: string): boolean {
  const name = host.endsWith('.') ? host.slice(0, -1) : host;
  return name === 'localhost' || name.endsWith('.localhost');
}

export class AddressGuard {
  readonly #reach: Reach;
  readonly #resolve: Resolve;

  constructor(reach: Reach, resolve: Resolve) {
    this.#reach = reach;
    this.#resolve = resolve;
  }

  /**
   * The addresses of a host, each of them allowed. Rejects with {@link BlockedAddress} when one is not, with the
   * resolver's error when the name does not resolve.
   */
  async check(host: string): Promise<readonly CheckedAddress[]> {
    const addresses = isIP(host) !== 0 ? [host] : await this.#resolve(host);
    for (const address of addresses) {
      if (!isAllowed(address, this.#reach)) throw new BlockedAddress('the address is not a public one');
    }
    return addresses.map(address => ({ address, family: isIP(address) === 6 ? 6 : 4 }));
  }
}
