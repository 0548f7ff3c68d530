/** Service tokens (design section 7): by which internal services are told from everybody else, and from each other. */
import { hash, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../protocol/errors.ts';

/** One token of SERVICE_TOKENS. A service may have several, so that they can be exchanged without a gap. */
export interface ServiceToken {
  /** The service's name: who did it, in events. */
  readonly name: string;
  readonly token: string;
}

const form = /^([A-Za-z0-9_-]{1,64}):([\x21-\x7e]{32,256})$/;
const bearer = /^Bearer +([\x21-\x7e]+)$/i;

/** `name:token`; undefined for anything else. */
export function parseServiceToken(text: string): ServiceToken | undefined {
  const [, name, token] = form.exec(text) ?? [];
  return name === undefined || token === undefined ? undefined : { name, token };
}

/** Who has which token. Only hashes are kept, and all of them are compared, in a time that tells nothing. */
export class ServiceTokens {
  readonly #held: readonly { readonly name: string; readonly digest: Buffer }[];

  constructor(tokens: readonly ServiceToken[]) {
    this.#held = tokens.map(({ name, token }) => ({ name, digest: digestOf(token) }));
  }

  /**
   * The service behind a header Authorization. Throws `svc/auth/missing_credentials` when it is empty or no Bearer,
   * `svc/auth/invalid_token` when nobody has the token.
   */
  verify(authorization: string): string {
    const token = bearer.exec(authorization.trim())?.[1];
    if (token === undefined) throw new ServiceError('svc/auth/missing_credentials');
    const digest = digestOf(token);
    let found: string | undefined;
    for (const { name, digest: held } of this.#held) if (timingSafeEqual(held, digest)) found = name;
    if (found === undefined) throw new ServiceError('svc/auth/invalid_token');
    return found;
  }
}

function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
