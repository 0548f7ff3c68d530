/** What goes wrong at the provider, as a test scripts it: each fault happens once, to the next request of its kind. */
import type { ServerResponse } from 'node:http';
import { ProviderError, toErrorAnswer, type ProviderErrorCode, type ProviderErrorDetails } from './errors.ts';
import type { ProviderRequest } from './requests.ts';

/** A request is of the kind that its path ends with: `messages`, `register`, or the id of a number or a file. */
export type Kind = string;

/**
 * - `error`: refused with the code.
 * - `hang`: taken, and never answered.
 * - `html`: a page, as a proxy in front of the provider answers.
 * - `status`: this status, with an empty body.
 * - `lost`: carried out, and the connection breaks before the answer.
 */
export type Fault =
  | { readonly kind: 'error'; readonly code: ProviderErrorCode; readonly more?: ProviderErrorDetails }
  | { readonly kind: 'hang' }
  | { readonly kind: 'html' }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'lost' };

export class Faults {
  #scripted: { readonly of: Kind; readonly fault: Fault }[] = [];
  /** Faults that have happened: a test asserts that its own did. */
  happened = 0;

  /** The next request of that kind meets the fault, and the one after it the next fault. */
  script(of: Kind, ...faults: readonly Fault[]): void {
    for (const fault of faults) this.#scripted.push({ of, fault });
  }

  /** Requests of that kind meet no further fault. */
  forget(of: Kind): void {
    this.#scripted = this.#scripted.filter(each => each.of !== of);
  }

  /** The fault of a request. */
  take({ path }: ProviderRequest): Fault | undefined {
    const index = this.#scripted.findIndex(({ of }) => of === path.at(-1));
    if (index < 0) return undefined;
    this.happened++;
    return this.#scripted.splice(index, 1)[0]?.fault;
  }
}

/** Carries a fault out that takes the place of the answer. Undefined: the request is answered first. */
export function strike(fault: Fault, response: ServerResponse): 'done' | undefined {
  switch (fault.kind) {
    case 'error': {
      const { status, body } = toErrorAnswer(new ProviderError(fault.code, fault.more));
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      return 'done';
    }
    case 'hang':
      return 'done';
    case 'html':
      response.writeHead(502, { 'content-type': 'text/html' }).end('<html><body>Bad gateway</body></html>');
      return 'done';
    case 'status':
      response.writeHead(fault.status).end();
      return 'done';
    case 'lost':
      return undefined;
  }
}
