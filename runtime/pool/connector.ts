/**
 * How a connection is made: the guard resolves and checks, and the socket may only use what it gave. The host's own name
 * stays the TLS server name and the Host header. Every new connection is checked anew; a kept one stays where it is.
 */
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, rootCertificates, type TLSSocket } from 'node:tls';
import type { buildConnector } from 'undici';
import type { AddressGuard, CheckedAddress } from './address-guard.ts';
import { OutboundFailure } from './failure.ts';

export interface ConnectorOptions {
  readonly guard: AddressGuard;
  /** From the name to a secured connection, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** Roots to trust beside the built-in ones, PEM. */
  readonly ca?: readonly string[];
}

/** Answers `net.connect` with what was checked, whatever it asks. */
function pinned(addresses: readonly CheckedAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}

/** A connector for undici's clients. */
export function guardedConnector(options: ConnectorOptions): buildConnector.connector {
  const trust =
    options.ca === undefined
      ? {}
      : { secureContext: createSecureContext({ ca: [...rootCertificates, ...options.ca] }) };
  return ({ hostname, protocol, port, servername }, callback) => {
    let socket: Socket | TLSSocket | undefined;
    let phase: 'dns' | 'connect' | 'tls' = 'dns';
    let settled = false;
    const settle = (error: Error | null): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      if (error === null && socket !== undefined) return callback(null, socket);
      socket?.destroy();
      callback(OutboundFailure.of(error, phase), null);
    };
    const timer = setTimeout(() => {
      const seconds = options.connectTimeoutMs / 1_000;
      settle(new OutboundFailure('timeout', `no connection within ${seconds} s`));
    }, options.connectTimeoutMs);

    const open = (addresses: readonly CheckedAddress[]): void => {
      if (settled) return;
      phase = 'connect';
      const secure = protocol === 'https:';
      const target = {
        host: hostname,
        port: port === '' ? (secure ? 443 : 80) : Number(port),
        lookup: pinned(addresses),
        autoSelectFamily: addresses.length > 1,
      };
      if (secure) {
        const name = servername ?? hostname;
        socket = connectTls({
          ...target,
          // An address is no server name (RFC 6066, section 3); the certificate is then checked against the address.
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
    options.guard.check(hostname).then(open, settle);
  };
}
