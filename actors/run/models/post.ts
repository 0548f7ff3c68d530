/**
 * HTTP for the library's providers: `fetch` as far as they need it. All of `fetch` cost 0.25 ms of processor time more, of the 1.05 of
 * a step. Redirections are not followed, as the key must not be.
 */
import { request, type Dispatcher } from 'undici';
import { endless } from './faults.ts';

/**
 * Bytes of an answer's stream, which the library would take without an end: a line, or files, that nobody counts. A run has two
 * minutes, and providers send some 350 bytes with each token: these are 47,000 tokens, 400 a second.
 */
const longestStream = 16 * 1_024 * 1_024;
/** Bytes that are read of any other answer. What matters of a longer one is its status. */
const longestRefusal = 1_024 * 1_024;

/** Statuses of answers without a body (Fetch, section 2.2.3). */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);
/** What is read of an answer's headers; see `faultOf`. */
const headersRead = ['retry-after', 'retry-after-ms'];

/**
 * Rejects as `fetch` does: with a TypeError that has the reason as its cause. The body of a success that is too long fails with a
 * `ModelFault`, any other is cut.
 */
export async function post(url: string, { headers, body, signal }: RequestInit): Promise<Response> {
  let answer: Dispatcher.ResponseData;
  try {
    answer = await request(url, {
      method: 'POST',
      // The library gives records and texts.
      headers: headers as Record<string, string>,
      body: body as string,
      signal: signal ?? null,
    });
  } catch (cause) {
    throw new TypeError('fetch failed', { cause });
  }
  // Of what HTTP allows, `Response` takes no status beyond.
  const status = Math.min(answer.statusCode, 599);
  return new Response(bodiless.has(status) ? null : ReadableStream.from(bounded(answer.body, status)), {
    status,
    headers: headersRead.flatMap((name): [string, string][] => {
      const value = answer.headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  });
}

/** Whoever leaves it before its end destroys the body, and the connection with it. */
async function* bounded(body: AsyncIterable<Uint8Array>, status: number): AsyncGenerator<Uint8Array> {
  const succeeds = status < 300;
  const most = succeeds ? longestStream : longestRefusal;
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > most) {
      if (succeeds) throw endless();
      return;
    }
    yield chunk;
  }
}
