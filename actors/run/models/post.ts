/**
 * HTTP for the library's providers: as much of `fetch` as they need. The whole of `fetch` took 0.25 ms more processor time, of the
 * 1.05 ms of a step. Redirects are not followed, because the key must not go elsewhere.
 */
import { request, type Dispatcher } from 'undici';
import { endlessAnswer } from './faults.ts';

/**
 * Bytes of an answer's stream, which the library would read without an end (a long line, or files). A run has two minutes, and providers
 * send about 350 bytes with each token: this is 47,000 tokens, 400 a second.
 */
const maxStreamBytes = 16 * 1_024 * 1_024;
/** Bytes that are read of any other answer. Of a longer one only the status matters. */
const maxRefusalBytes = 1_024 * 1_024;

/** Null body statuses (https://fetch.spec.whatwg.org/#null-body-status). */
const nullBodyStatuses: ReadonlySet<number> = new Set([204, 205, 304]);
/** The headers that are read of an answer: see `toModelFault`. */
const headersRead = ['retry-after', 'retry-after-ms'];

/**
 * Rejects as `fetch` does: with a TypeError that has the reason as its cause. The body of a success that is too long fails with a
 * `ModelFault`; any other body is cut.
 */
export async function post(url: string, { headers, body, signal }: RequestInit): Promise<Response> {
  let answer: Dispatcher.ResponseData;
  try {
    answer = await request(url, {
      method: 'POST',
      // The library passes records and texts.
      headers: headers as Record<string, string>,
      body: body as string,
      signal: signal ?? null,
    });
  } catch (cause) {
    throw new TypeError('fetch failed', { cause });
  }
  // HTTP allows greater statuses than `Response` does.
  const status = Math.min(answer.statusCode, 599);
  return new Response(
    nullBodyStatuses.has(status) ? null : ReadableStream.from(limitBody(answer.body, status)),
    {
      status,
      headers: headersRead.flatMap((name): [string, string][] => {
        const value = answer.headers[name];
        return typeof value === 'string' ? [[name, value]] : [];
      }),
    },
  );
}

/** Leaving the loop before the end destroys the body, and the connection with it. */
async function* limitBody(body: AsyncIterable<Uint8Array>, status: number): AsyncGenerator<Uint8Array> {
  const succeeds = status < 300;
  const most = succeeds ? maxStreamBytes : maxRefusalBytes;
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > most) {
      if (succeeds) throw endlessAnswer();
      return;
    }
    yield chunk;
  }
}
