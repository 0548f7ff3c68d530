/**
 * The guard before every request to an address that a customer named: webhooks, tools, media
 * (docs/contract-decisions.md, "Outbound address guard"). It resolves every record of the host, refuses the host when any of them is
 * not allowed, and returns the checked addresses; the connector connects to exactly those. A name that resolves to something else a
 * moment later (DNS rebinding) gains nothing.
 *
 * "Public" is an allow-list: IPv4 unicast outside every special range, and IPv6 inside 2000::/3 (the only space that IANA has
 * assigned) outside every special range. Loopback, private, link-local, CGNAT, multicast, reserved, IPv4-mapped and
 * IPv4-compatible, NAT64, 6to4, Teredo and unique-local addresses are all outside it.
 *
 * Some addresses and ports are refused however far the guard is opened: those that give a cloud's credentials to whoever asks, those where
 * other protocols than HTTP listen (a request's text could be taken for their commands), and this node's own ports.
 */
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
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

/**
 * Metadata services of clouds, which give credentials to their machines, beside the whole of 169.254.0.0/16: Azure's agent, Alibaba,
 * Oracle, and the addresses of version 6 of AWS and Google.
 */
const metadataAddresses: ReadonlySet<string> = new Set(
  [
    ...['168.63.129.16', '100.100.100.200', '192.0.0.192'],
    ...['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe'],
  ].map(normalise),
);

/**
 * Ports that no HTTP server has and other protocols do: those that browsers refuse (Fetch, section 2.9, "Port blocking"), and those of
 * databases, brokers, remote desktops and container engines, some of which speak HTTP without asking for a name.
 */
const blockedPorts: ReadonlySet<number> = new Set([
  ...[
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103,
    104,
  ],
  ...[
    109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  ],
  ...[526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049],
  ...[3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
  ...[445, 1433, 1521, 2181, 2375, 2376, 2379, 2380, 3306, 3389, 4222, 5432, 5672, 5900, 6222, 6379, 8222],
  ...[9042, 9092, 9200, 9300, 10250, 10255, 11211, 27017, 27018],
]);

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

/** The address of version 4 that one of version 6 carries, where it carries one; else the address in its one notation. */
function normalise(address: string): string {
  if (isIP(address) === 0) return address;
  const parsed = ipaddr.parse(address);
  if (!('parts' in parsed)) return parsed.toString();
  const bytes = parsed.toByteArray();
  const range = parsed.range();
  const carries = range === 'ipv4Mapped' || range === 'rfc6145' || range === 'rfc6052';
  const isCompatible =
    bytes.slice(0, 12).every(byte => byte === 0) && bytes.slice(12, 15).some(byte => byte !== 0);
  if (carries || isCompatible) return bytes.slice(12).join('.');
  if (range === '6to4') return bytes.slice(2, 6).join('.');
  return parsed.toString();
}

/** Whether the address is refused however far the guard is opened. */
function isNeverAllowed(address: string): boolean {
  const normal = normalise(address);
  return metadataAddresses.has(normal) || normal.startsWith('169.254.');
}

/** Whether an address may be connected to. */
export function isAllowed(address: string, reach: Reach): boolean {
  if (isNeverAllowed(address)) return false;
  if (reach === 'any') return true;
  const scope = classifyAddress(address);
  return scope === 'public' || (reach === 'loopback' && scope === 'loopback');
}

/** A URL's host without the brackets of IPv6. The URL parser has already normalised every notation of IPv4 to four decimals. */
export function getHost(url: URL): string {
  const { hostname } = url;
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

function getPort({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

/** Whether the address is one of this machine. */
function isOwn(address: string): boolean {
  const normal = normalise(address);
  if (classifyAddress(normal) === 'loopback' || normal === '0.0.0.0' || normal === '::') return true;
  return Object.values(networkInterfaces()).some(found =>
    found?.some(each => normalise(each.address) === normal),
  );
}

/** Why a URL is refused before its name is resolved; undefined when it is accepted. */
export function getUrlRefusal(url: URL, rule: UrlRule): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'only http and https are supported';
  if (rule.httpsOnly === true && url.protocol !== 'https:') return 'https is required';
  if (url.username !== '' || url.password !== '') return 'credentials in the URL are not accepted';
  if (blockedPorts.has(getPort(url))) return 'the port is not one of a web server';
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

/**
 * Returns the host that a URL leads to on the public internet, in its normal form. Undefined for loopback and other special addresses. A
 * name counts as public unless it is a local name: it may resolve to another address at any time.
 */
export function getPublicHost(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null) return undefined;
  const host = getHost(url).replace(/\.$/, '');
  if (isIP(host) !== 0) return classifyAddress(host) === 'public' ? host : undefined;
  return isLocalName(host) ? undefined : host;
}

export class AddressGuard {
  readonly #reach: Reach;
  readonly #resolve: Resolve;
  readonly #ownPorts: ReadonlySet<number>;

  /** @param ownPorts where this node and what belongs to it listen on this machine */
  constructor(reach: Reach, resolve: Resolve, ownPorts: readonly number[] = []) {
    this.#reach = reach;
    this.#resolve = resolve;
    this.#ownPorts = new Set(ownPorts);
  }

  /**
   * The addresses of a host, when all of them are allowed. Rejects with {@link BlockedAddress} when one is not, and with the
   * resolver's error when the name does not resolve.
   */
  async check(host: string, port: number): Promise<readonly CheckedAddress[]> {
    if (blockedPorts.has(port)) throw new BlockedAddress('the port is not one of a web server');
    const addresses = isIP(host) !== 0 ? [host] : await this.#resolve(host);
    for (const address of addresses) {
      if (!isAllowed(address, this.#reach)) throw new BlockedAddress('the address is not public');
      if (this.#ownPorts.has(port) && isOwn(address)) throw new BlockedAddress('the address is not public');
    }
    return addresses.map(address => ({ address, family: isIP(address) === 6 ? 6 : 4 }));
  }
}
