/** Requests to paths that do not exist, or with a method that they do not have: their address pays for them. */
import { errorAnswer } from '../http/error-answer.ts';
import type { HttpAnswer, HttpRequest } from '../http/message.ts';
import { exceeded, type Quota, quotaHeaders, type Quotas } from './quota.ts';

/** For `HttpServer.unrouted`: the answer with the headers of the bucket, or 429 instead of it. */
export function tollUnrouted(
  quotas: Pick<Quotas, 'stranger'>,
  docsUrl: string,
): (request: HttpRequest, answer: () => HttpAnswer) => HttpAnswer | Promise<HttpAnswer> {
  const settled = (request: HttpRequest, answer: () => HttpAnswer, quota: Quota): HttpAnswer => {
    const headers = quotaHeaders(quota);
    if (!quota.allowed) return errorAnswer(exceeded(quota), request.requestId, docsUrl, headers);
    const given = answer();
    return { ...given, headers: { ...headers, ...given.headers } };
  };
  return (request, answer) => {
    const quota = quotas.stranger(request.address);
    return quota instanceof Promise
      ? quota.then(taken => settled(request, answer, taken))
      : settled(request, answer, quota);
  };
}
