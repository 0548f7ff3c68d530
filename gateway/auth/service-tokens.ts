/** Service tokens: the credentials of internal services, which name themselves by them (docs/operate/configuration.md). */
import { hash, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../protocol/errors.ts';

/** One token of SERVICE_TOKENS. A service may have several, so that one can be replaced without a gap. */
export interface ServiceToken {
  /** The service's name, which events show as their actor. */
  readonly name: string;
  readonly token: string;
}

const tokenForm = /^[\x21-\x7e]{32,256}$/;
const form = /^([A-Za-z0-9_-]{1,64}):(.*)$/;
const bearer = /^Bearer +([\x21-\x7e]+)$/i;

/** `name:token`; undefined for anything else. */
export function parseServiceToken(text: string): ServiceToken | undefined {
  const [, name, token] = form.exec(text) ?? [];
  return name === undefined || token === undefined || !tokenForm.test(token) ? undefined : { name, token };
}

/** The text, if it can be a token: 32 to 256 visible characters. */
export function parseToken(text: string): string | undefined {
  return tokenForm.test(text) ? text : undefined;
}

/** Who has which token. Only hashes are kept, and all of them are compared, in constant time. */
export class ServiceTokens {
  readonly #held: readonly { readonly name: string; readonly digest: Buffer }[];

  constructor(tokens: readonly ServiceToken[]) {
    this.#held = tokens.map(({ name, token }) => ({ name, digest: createDigest(token) }));
  }

  /**
   * The service behind an Authorization header. Throws `svc/auth/missing_credentials` when it is empty or no Bearer,
   * `svc/auth/invalid_token` when nobody has the token.
   */
  verify(authorization: string): string {
    if (!bearer.test(authorization.trim())) throw new ServiceError('svc/auth/missing_credentials');
    const found = this.find(authorization);
    if (found === undefined) throw new ServiceError('svc/auth/invalid_token');
    return found;
  }

  /** The same; undefined where nobody has the token. */
  find(authorization: string): string | undefined {
    const token = bearer.exec(authorization.trim())?.[1];
    if (token === undefined) return undefined;
    const digest = createDigest(token);
    let found: string | undefined;
    for (const { name, digest: held } of this.#held) if (timingSafeEqual(held, digest)) found = name;
    return found;
  }
}

function createDigest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
