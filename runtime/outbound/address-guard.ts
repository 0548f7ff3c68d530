/**
 * The guard before every request to an address that a customer named: webhooks, tools, media
 * (docs/contract-decisions.md, "Outbound address guard"). It resolves every record of the host, refuses the host when any of them is
 * not allowed, and returns the checked addresses; the connector connects to exactly those. A name that resolves to something else a
 * moment later (DNS rebinding) gains nothing.
 *
 * "Public" is an allow-list: IPv4 unicast outside every special range, and IPv6 inside 2000::/3 (the only space that IANA has
 * assigned) outside every special range. Loopback, private, link-local, CGNAT, multicast, reserved, IPv4-mapped and
 * IPv4-compatible, NAT64, 6to4, Teredo and unique-local addresses are all outside it.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What may be connected to: the public internet; that and loopback; anything. */
export type Reach = 'public' | 'loopback' | 'any';

/** The service does not connect to this address or URL. */
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

type AddressScope = 'public' | 'loopback' | 'other';

/** Classifies an IP address in text form. */
export function classifyAddress(address: string): AddressScope {
  // A zone (`fe80::1%eth0`) always names something local.
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
  const scope = classifyAddress(address);
  return scope === 'public' || (reach === 'loopback' && scope === 'loopback');
}

/** A URL's host without the brackets of IPv6. The URL parser has already normalised every notation of IPv4 to four decimals. */
export function getHost(url: URL): string {
  const { hostname } = url;
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/** Why a URL is refused before its name is resolved; undefined when it is accepted. */
export function getUrlRefusal(url: URL, rule: UrlRule): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'only http and https are supported';
  if (rule.httpsOnly === true && url.protocol !== 'https:') return 'https is required';
  if (url.username !== '' || url.password !== '') return 'credentials in the URL are not accepted';
  const host = getHost(url);
  if (isIP(host) !== 0 && !isAllowed(host, rule.reach)) return 'the address is not public';
  if (rule.reach === 'public' && isLocalName(host)) return 'the address is not public';
  return undefined;
}

/** `localhost` and every name under it is loopback by definition (RFC 6761, section 6.3) and is never looked up in DNS. */
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
   * The addresses of a host, when all of them are allowed. Rejects with {@link BlockedAddress} when one is not, and with the
   * resolver's error when the name does not resolve.
   */
  async check(host: string): Promise<readonly CheckedAddress[]> {
    const addresses = isIP(host) !== 0 ? [host] : await this.#resolve(host);
    for (const address of addresses) {
      if (!isAllowed(address, this.#reach)) throw new BlockedAddress('the address is not public');
    }
    return addresses.map(address => ({ address, family: isIP(address) === 6 ? 6 : 4 }));
  }
}
