/** A POST by Node's own client: unlike `fetch` it can be told to accept a certificate for this address and no other. */
import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';

export interface PostTarget {
  readonly url: string;
  /** Accept any certificate. */
  readonly skipVerify: boolean;
}

/** Gives the status of the answer, whose body is of no interest; redirects are not followed. */
export type Post = (headers: Readonly<Record<string, string>>, body: string) => Promise<number>;

const timeoutMs = 15_000;

export function createPost({ url, skipVerify }: PostTarget): Post {
  const isSecure = url.startsWith('https:');
  const agent = isSecure
    ? new HttpsAgent({ keepAlive: true, rejectUnauthorized: !skipVerify })
    : new HttpAgent({ keepAlive: true });
  const open = isSecure ? requestHttps : requestHttp;
  return (headers, body) =>
    new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(timeoutMs);
      const request = open(url, { method: 'POST', agent, signal, headers }, response => {
        response.on('error', reject).on('end', () => resolve(response.statusCode ?? 0));
        response.resume();
      });
      request.on('error', error => reject(signal.aborted ? (signal.reason as Error) : error));
      request.end(body);
    });
}
