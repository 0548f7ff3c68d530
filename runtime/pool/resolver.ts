/**
 * Names to addresses, by DNS itself (c-ares) and not by `getaddrinfo`: that one runs on the four threads that the whole
 * process shares for files and cryptography, and four names of a customer whose servers do not answer would stop all of it.
 */
import { lookup, Resolver } from 'node:dns/promises';
import { isLocalName, type Resolve } from './address-guard.ts';

export interface ResolverOptions {
  /** Name servers as `address` or `address:port`; the system's when absent. */
  readonly servers?: readonly string[];
  /**
   * Ask the system (its hosts file, mDNS, search domains) for a name that DNS does not know: for networks whose private
   * addresses are allowed, where such names live.
   */
  readonly askSystem: boolean;
}

/** Time for the first answer of a server, in milliseconds; each is asked twice. */
const answerMs = 1_500;

/** A resolver of A and AAAA records. Rejects with an error that has a DNS `code` (ENOTFOUND, ESERVFAIL, ETIMEOUT ...). */
export function resolver(options: ResolverOptions): Resolve {
  const dns = new Resolver({ timeout: answerMs, tries: 2 });
  if (options.servers !== undefined) dns.setServers(options.servers);
  return async host => {
    if (isLocalName(host)) return ['127.0.0.1', '::1'];
    const [v4, v6] = await Promise.allSettled([dns.resolve4(host), dns.resolve6(host)]);
    const found = [
      ...(v4.status === 'fulfilled' ? v4.value : []),
      ...(v6.status === 'fulfilled' ? v6.value : []),
    ];
    if (found.length > 0) return found;
    if (options.askSystem) return (await lookup(host, { all: true })).map(entry => entry.address);
    throw v4.status === 'rejected' ? v4.reason : new Error(`${host} has no address`);
  };
}
