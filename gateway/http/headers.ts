/**
 * The headers of requests and answers.
 *
 * A request's header block is read in a single pass, with the framing guard (RFC 9112 section 6.3): uWebSockets.js 20.49 takes the
 * first of two differing Content-Length headers and accepts any Transfer-Encoding that ends in `chunked`. Behind a proxy that decides
 * otherwise, the rest of the body would be read as the next request of another client. Answering 400 does not help, since what
 * follows in the same segment is still executed; only closing the connection does. So a header block that is not plain is not `sound`,
 * and its request is closed without an answer.
 */
import { STATUS_CODES } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { HttpRequest as UwsRequest, HttpResponse } from 'uWebSockets.js';
import { apiVersion } from '../../protocol/version.ts';
import type { HttpAnswer } from './message.ts';

// 2^53 has 16 digits: a longer length cannot be represented exactly, and no real body has one.
const lengthForm = /^[0-9]{1,15}$/;

/** The headers of one request. */
export class HeaderBlock {
  /** Name, value, name, value ... as received; names are lower case. */
  readonly #pairs: string[] = [];
  /** The declared Content-Length in bytes; 0 when absent. */
  contentLength = 0;
  chunked = false;
  /** False: where the request ends is not certain. Close the connection at once. */
  sound = true;
  #hosts = 0;
  #lengths = 0;

  /** Reads the headers; to be called within the route's callback, after which `request` is gone. */
  static read(request: UwsRequest): HeaderBlock {
    const block = new HeaderBlock();
    reading = block;
    request.forEach(take);
    if (block.chunked && block.#lengths > 0) block.sound = false;
    return block;
  }

  /** Values of repeated headers are joined by a comma, of Cookie by a semicolon; empty when absent. */
  get(name: string): string {
    const pairs = this.#pairs;
    let found = '';
    for (let i = 0; i < pairs.length; i += 2) {
      if (pairs[i] !== name) continue;
      const value = pairs[i + 1] ?? '';
      found = found === '' ? value : `${found}${name === 'cookie' ? '; ' : ', '}${value}`;
    }
    return found;
  }

  /** @param name in lower case */
  add(name: string, value: string): void {
    this.#pairs.push(name, value);
    switch (name) {
      case 'host':
        if (++this.#hosts > 1) this.sound = false;
        break;
      case 'content-length':
        if (++this.#lengths > 1 || !lengthForm.test(value)) this.sound = false;
        else this.contentLength = Number(value);
        break;
      case 'transfer-encoding':
        // A second one would make it the list `chunked, chunked`, which is not plain either.
        if (this.chunked || value !== 'chunked') this.sound = false;
        this.chunked = true;
        break;
      default:
    }
  }
}

// One function for all requests, instead of a closure for each.
let reading = new HeaderBlock();
function take(name: string, value: string): void {
  reading.add(name, value);
}

const lines = new Map<number, string>();

/** `200 OK` for 200. */
export function getStatusLine(status: number): string {
  let line = lines.get(status);
  if (line === undefined) {
    line = `${status} ${STATUS_CODES[status] ?? 'Unknown'}`;
    lines.set(status, line);
  }
  return line;
}

const jsonType = 'application/json; charset=utf-8';

// A browser must not sniff, cache or frame an API answer, nor send a referrer from it.
const cachePolicy = { 'Cache-Control': 'no-store' };
const contentPolicy = { 'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'" };
const commonHeaders = {
  'Service-Version': apiVersion,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

const headerName = /^[A-Za-z0-9-]+$/;
// HTAB and printable ASCII: a byte above 0x7e would be sent as UTF-8, which no client expects in a header.
const headerValue = /^[\t\x20-\x7e]*$/;

/** Throws where a header cannot be sent as it is: a line break in a value would start a header of its own. */
export function checkHeaders(answer: HttpAnswer): void {
  if (answer.contentType !== undefined) checkHeader('Content-Type', answer.contentType);
  for (const name in answer.headers) {
    const value = answer.headers[name];
    if (typeof value === 'string') checkHeader(name, value);
    else for (const one of value ?? []) checkHeader(name, one);
  }
}

function checkHeader(name: string, value: string): void {
  if (!headerName.test(name)) throw new Error('an answer has a header whose name is not a token');
  if (!headerValue.test(value))
    throw new Error(`the answer's header ${name} has characters outside visible ASCII`);
}

/** Writes the heads of answers; one per server. */
export class ResponseHead {
  /** What is the same for all JSON answers, ending in the name of the header that differs. */
  readonly #jsonBlock: string;
  readonly #strictTransport: string | undefined;

  /** `https`: the public address is https, so answers tell browsers to use nothing else (HSTS). */
  constructor(https: boolean) {
    this.#strictTransport = https ? 'max-age=31536000; includeSubDomains' : undefined;
    const constant: Record<string, string> = {
      'Content-Type': jsonType,
      ...commonHeaders,
      ...cachePolicy,
      ...contentPolicy,
      ...(this.#strictTransport === undefined ? {} : { 'Strict-Transport-Security': this.#strictTransport }),
    };
    const block = Object.entries(constant).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#jsonBlock = `${block.join('')}X-Request-Id`;
  }

  /** Status line and headers but Content-Length; within a cork. `answer` has passed `checkHeaders`. */
  write(res: HttpResponse, answer: HttpAnswer, requestId: string): void {
    res.writeStatus(getStatusLine(answer.status));
    const headers = answer.headers;
    if (
      answer.body !== undefined &&
      answer.contentType === undefined &&
      headers?.['Cache-Control'] === undefined &&
      headers?.['Content-Security-Policy'] === undefined
    ) {
      // A call into the server costs about as much as the header it writes: one call instead of seven.
      res.writeHeader(this.#jsonBlock, requestId);
    } else {
      res.writeHeader('X-Request-Id', requestId);
      if (answer.body !== undefined || answer.outgoing !== undefined) {
        res.writeHeader('Content-Type', answer.contentType ?? jsonType);
      }
      if (this.#strictTransport !== undefined) {
        res.writeHeader('Strict-Transport-Security', this.#strictTransport);
      }
      const defaults: Record<string, string> = { ...commonHeaders, ...cachePolicy, ...contentPolicy };
      for (const name in defaults) {
        if (headers?.[name] === undefined) res.writeHeader(name, defaults[name] ?? '');
      }
    }
    for (const name in headers) {
      const value = headers[name];
      if (typeof value === 'string') res.writeHeader(name, value);
      else for (const one of value ?? []) res.writeHeader(name, one);
    }
  }
}

/** The binary form of an address (4 or 16 bytes, network order) as text; IPv4 within IPv6 is shown as IPv4. */
export function addressText(binary: ArrayBuffer): string {
  const bytes = new Uint8Array(binary);
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) return '';
  const mapped = bytes.subarray(0, 10).every(byte => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  if (mapped) return bytes.subarray(12).join('.');
  const groups: string[] = [];
  for (let i = 0; i < 16; i += 2) groups.push((((bytes[i] ?? 0) << 8) | (bytes[i + 1] ?? 0)).toString(16));
  return groups.join(':');
}

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
