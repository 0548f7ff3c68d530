/**
 * The header block of one request, read in a single pass, and the framing guard (RFC 9112 section 6.3).
 *
 * uWebSockets.js 20.49 takes the first of two differing Content-Length headers and reads any Transfer-Encoding that ends
 * in `chunked`: behind a proxy that decides otherwise, the rest of the body would be read as somebody's next request.
 * Answering 400 does not help, since what follows in the same segment is still executed; only closing the connection
 * does. So whatever is not plain is not `sound`, and an unsound request is closed without an answer.
 */
import type { HttpRequest as UwsRequest } from 'uWebSockets.js';

// 2^53 has 16 digits: a longer length cannot be held exactly, and is no length that anybody means.
const lengthForm = /^[0-9]{1,15}$/;

/** The headers of one request. */
export class HeaderBlock {
  /** Name, value, name, value ... as received; names are lower case. */
  readonly #pairs: string[] = [];
  /** The declared Content-Length in bytes; 0 when absent. */
  contentLength = 0;
  chunked = false;
  /** False: the request's end cannot be told for certain. Close the connection at once. */
  sound = true;
  #hosts = 0;
  #lengths = 0;

  /** Reads the headers; to be called within the route's callback, after which `request` is gone. */
  static of(request: UwsRequest): HeaderBlock {
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
        // A second one would make the list `chunked, chunked`, which is not plain either.
        if (this.chunked || value !== 'chunked') this.sound = false;
        this.chunked = true;
        break;
      default:
    }
  }
}

// One function for all requests: a closure per request would be made anew for each.
let reading = new HeaderBlock();
function take(name: string, value: string): void {
  reading.add(name, value);
}
