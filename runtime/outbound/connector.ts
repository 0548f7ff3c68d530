/**
 * How a connection is made: the name is resolved, the guard checks every address, and the socket may only use the checked ones. The
 * host's own name stays the TLS server name and the Host header. Every new connection is checked again; an open one keeps its address.
 */
import { lookup, Resolver } from 'node:dns/promises';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, rootCertificates, type TLSSocket } from 'node:tls';
import type { buildConnector } from 'undici';
import { isLocalName, type AddressGuard, type CheckedAddress, type Resolve } from './address-guard.ts';
import { OutboundFailure, type ConnectPhase } from './request.ts';

export interface ResolverOptions {
  /** Name servers as `address` or `address:port`; the system's when absent. */
  readonly servers?: readonly string[];
  /**
   * Asks the system (its hosts file, mDNS, search domains) for a name that DNS does not know: for networks whose private
   * addresses are allowed, where such names live.
   */
  readonly askSystem: boolean;
}

/** Time for the first answer of a name server, in milliseconds; each is asked twice. */
const dnsTimeoutMs = 1_500;

/**
 * A resolver of A and AAAA records. It speaks DNS itself (c-ares) instead of calling `getaddrinfo`, which runs on the four threads
 * that the process shares for files and cryptography: four names whose servers do not answer would block all of it. Rejects with
 * an error that has a DNS `code` (ENOTFOUND, ESERVFAIL, ETIMEOUT ...).
 */
export function createResolver(options: ResolverOptions): Resolve {
  const dns = new Resolver({ timeout: dnsTimeoutMs, tries: 2 });
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

export interface ConnectorOptions {
  readonly guard: AddressGuard;
  /** From the name to a secured connection, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** Root certificates to trust beside the built-in ones, PEM. */
  readonly ca?: readonly string[];
}

/** Answers every look-up of `net.connect` with the checked addresses. */
function createPinnedLookup(addresses: readonly CheckedAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}

/** A connector for undici's clients. */
export function createGuardedConnector(options: ConnectorOptions): buildConnector.connector {
  const trust =
    options.ca === undefined
      ? {}
      : { secureContext: createSecureContext({ ca: [...rootCertificates, ...options.ca] }) };
  return ({ hostname, protocol, port, servername }, callback) => {
    let socket: Socket | TLSSocket | undefined;
    let phase: ConnectPhase = 'dns';
    let settled = false;
    const settle = (error: Error | null): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      if (error === null && socket !== undefined) return callback(null, socket);
      socket?.destroy();
      callback(OutboundFailure.from(error, phase), null);
    };
    const timer = setTimeout(() => {
      const seconds = options.connectTimeoutMs / 1_000;
      settle(new OutboundFailure('timeout', `no connection within ${seconds} s`));
    }, options.connectTimeoutMs);

    const secure = protocol === 'https:';
    const defaultPort = secure ? 443 : 80;
    const portNumber = port === '' ? defaultPort : Number(port);
    const open = (addresses: readonly CheckedAddress[]): void => {
      if (settled) return;
      phase = 'connect';
      const target = {
        host: hostname,
        port: portNumber,
        lookup: createPinnedLookup(addresses),
        autoSelectFamily: addresses.length > 1,
      };
      if (secure) {
        const name = servername ?? hostname;
        socket = connectTls({
          ...target,
          // An IP address is not a server name (RFC 6066, section 3); the certificate is then checked against the address.
          ...(isIP(name) === 0 ? { servername: name } : {}),
          ...trust,
          ALPNProtocols: ['http/1.1'],
        });
        socket.once('connect', () => (phase = 'tls'));
      } else {
        socket = connectTcp(target);
      }
      socket.setNoDelay(true).setKeepAlive(true, 60_000);
      socket.once(secure ? 'secureConnect' : 'connect', () => settle(null));
      socket.on('error', settle);
    };
    options.guard.check(hostname, portNumber).then(open, settle);
  };
}
