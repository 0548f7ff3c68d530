/**
 * Secrets at rest: JWE in compact form, `dir` with A256GCM (RFC 7516, RFC 7518; docs/decisions/0024-sealed-secrets.md). Each is bound to
 * its row by the authenticated header `ctx`, for example `stitches/stitch_01h.../secret`: a text that is copied into another row does
 * not open there.
 */
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from 'jose';
import type { ProtectedHeaderParameters } from 'jose';
import type { KeyRing } from './key-ring.ts';

/** The text is not ours, was changed, belongs to another row, or its key has left the ring. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
  readonly context: string;
  readonly why: string;
  constructor(context: string, why: string, cause?: unknown) {
    super(`the secret of ${context} does not open: ${why}`, { cause });
    this.context = context;
    this.why = why;
  }
}

/** A sealed text inside of another one, such as a list or JSON. Compact JWE of `dir` has no encrypted key, so its second part is empty. */
const sealPattern = /eyJ[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+/g;

/** All sealed texts that a stored value holds, in their order. */
export function findSeals(value: string): readonly string[] {
  return value.match(sealPattern) ?? [];
}

/** The id of the key that sealed the text; undefined for what is no seal. */
export function readKid(jwe: string): string | undefined {
  return readHeader(jwe)?.kid;
}

/** Seals with the newest key of the ring; opens what any of them sealed. */
export class Vault {
  readonly #ring: KeyRing;
  readonly #onBroken: () => void;

  /** @param onBroken called for each text that does not open */
  constructor(ring: KeyRing, onBroken: () => void = () => undefined) {
    this.#ring = ring;
    this.#onBroken = onBroken;
  }

  /** @param context where the secret will be kept: `<table>/<id>/<column>` */
  async seal(context: string, plaintext: string): Promise<string> {
    const { kid, key } = this.#ring.newest;
    return await new CompactEncrypt(Buffer.from(plaintext, 'utf8'))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid, ctx: context })
      .encrypt(key);
  }

  /** The plaintext. Rejects with {@link SealBroken}. */
  async open(context: string, jwe: string): Promise<string> {
    try {
      return await this.#open(context, jwe);
    } catch (error) {
      this.#onBroken();
      throw error;
    }
  }

  async #open(context: string, jwe: string): Promise<string> {
    const kid = readKid(jwe);
    const key = kid === undefined ? undefined : this.#ring.keys.get(kid);
    if (key === undefined) throw new SealBroken(context, `no key ${kid ?? ''} in the ring`);
    try {
      const { plaintext, protectedHeader } = await compactDecrypt(jwe, key, {
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
      });
      if (protectedHeader['ctx'] === context) return Buffer.from(plaintext).toString('utf8');
    } catch (error) {
      throw new SealBroken(context, 'it was changed', error);
    }
    throw new SealBroken(context, 'it was sealed for another row');
  }

  /** The same secret for the same row, sealed with the newest key. Rejects with {@link SealBroken}. */
  async reseal(jwe: string): Promise<string> {
    const context = String(readHeader(jwe)?.['ctx']);
    return await this.seal(context, await this.open(context, jwe));
  }
}

function readHeader(jwe: string): ProtectedHeaderParameters | undefined {
  try {
    return decodeProtectedHeader(jwe);
  } catch {
    return undefined;
  }
}
