/** Tools that count how often each call reaches them, by its Idempotency-Key, and answer after a while which time it was. */
import { Endpoint } from '../demo/endpoint.ts';

export class ToolServer {
  /** Requests by key. */
  readonly arrivals = new Map<string, number>();
  readonly #endpoint: Endpoint;

  /** @param answerMs how long each answer takes */
  constructor(answerMs: number) {
    this.#endpoint = new Endpoint((request, _body, response) => {
      const key = String(request.headers['idempotency-key']);
      const arrival = (this.arrivals.get(key) ?? 0) + 1;
      this.arrivals.set(key, arrival);
      setTimeout(() => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ arrival }));
      }, answerMs);
    });
  }

  /** Starts to listen; gives its address. */
  listen(): Promise<string> {
    return this.#endpoint.listen('/');
  }

  close(): Promise<void> {
    return this.#endpoint.close();
  }
}
