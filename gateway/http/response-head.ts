/** Status lines and headers of answers. */
import { STATUS_CODES } from 'node:http';
import type { HttpResponse } from 'uWebSockets.js';
import { apiVersion } from '../../protocol/version.ts';
import type { HttpAnswer } from './message.ts';

const lines = new Map<number, string>();

/** `200 OK` for 200. */
export function statusLine(status: number): string {
  let line = lines.get(status);
  if (line === undefined) {
    line = `${status} ${STATUS_CODES[status] ?? 'Unknown'}`;
    lines.set(status, line);
  }
  return line;
}

const jsonType = 'application/json; charset=utf-8';

// What an API answer is never meant for: being sniffed, cached, framed or given a referrer by a browser.
const cachePolicy = { 'Cache-Control': 'no-store' };
const contentPolicy = { 'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'" };
const always = {
  'Service-Version': apiVersion,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

const headerName = /^[A-Za-z0-9-]+$/;
// HTAB, and everything printable; a byte above 0x7e would be sent as UTF-8, which no client expects in a header.
const headerValue = /^[\t\x20-\x7e]*$/;

/** Throws where a header could not be sent as it stands: a line break in a value would be a header of its own. */
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

/** Writes heads; made once per server. */
export class ResponseHead {
  /** Everything that is the same for all JSON answers, ending in the name of the header that differs. */
  readonly #jsonBlock: string;
  readonly #strictTransport: string | undefined;

  /** `https`: the public address is https, so browsers are told to stay with it. */
  constructor(https: boolean) {
    this.#strictTransport = https ? 'max-age=31536000; includeSubDomains' : undefined;
    const constant: Record<string, string> = {
      'Content-Type': jsonType,
      ...always,
      ...cachePolicy,
      ...contentPolicy,
      ...(this.#strictTransport === undefined ? {} : { 'Strict-Transport-Security': this.#strictTransport }),
    };
    const block = Object.entries(constant).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#jsonBlock = `${block.join('')}X-Request-Id`;
  }

  /** Status line and headers but Content-Length; within a cork. `answer` has passed `checkHeaders`. */
  write(res: HttpResponse, answer: HttpAnswer, requestId: string): void {
    res.writeStatus(statusLine(answer.status));
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
      const defaults: Record<string, string> = { ...always, ...cachePolicy, ...contentPolicy };
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
