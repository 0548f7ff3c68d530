/**
 * The tokens by which services of the same house are known: `SERVICE_TOKENS`, `name:token,name:token`. They stand outside all
 * projects, so nothing that customers hold is ever one of them.
 */
import { createHash, timingSafeEqual } from 'node:crypto';

const form = /^([A-Za-z0-9_-]{1,64}):([A-Za-z0-9_.~+/=-]{32,256})$/;

interface Known {
  readonly name: string;
  readonly digest: Buffer;
}

export class ServiceTokens {
  readonly #known: readonly Known[];

  /** @param text as SERVICE_TOKENS; undefined: nobody is known. Throws a `RangeError`, without the text, when it is not of that form. */
  constructor(text?: string) {
    this.#known = (text?.split(',') ?? []).map((entry, index) => {
      const [, name, token] = form.exec(entry.trim()) ?? [];
      if (name === undefined || token === undefined) {
        throw new RangeError(
          `entry ${index + 1} is not a name, a colon and a token of 32 characters or more`,
        );
      }
      return { name, digest: digestOf(token) };
    });
    if (new Set(this.#known.map(({ name }) => name)).size < this.#known.length) {
      throw new RangeError('two services have the same name');
    }
  }

  /**
   * The name of the service whose token an Authorization header bears, or undefined. Takes the same time whichever token it is,
   * and how much of it is right.
   */
  bearer(authorization: string): string | undefined {
    const [, token = ''] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
    const given = digestOf(token);
    let found: string | undefined;
    for (const { name, digest } of this.#known) if (timingSafeEqual(digest, given)) found = name;
    return found;
  }
}

/** Of equal length for all, as the comparison wants it. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
