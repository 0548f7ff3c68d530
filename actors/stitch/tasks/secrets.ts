/** Secrets of stitches, opened once and kept in memory only. */
import { signing } from '../manage.ts';
import type { SealedSecret } from '../state.ts';
import { secretContext, type StitchServices } from './services.ts';

const mostKept = 10_000;

export class Secrets {
  readonly #vault: StitchServices['vault'];
  /** By the sealed text, least recently used first. */
  readonly #opened = new Map<string, string>();

  constructor(vault: StitchServices['vault']) {
    this.#vault = vault;
  }

  /** The secrets that sign at `now`, newest first; undefined when one of them has to be opened first. */
  known(sealed: readonly SealedSecret[], now: number): readonly string[] | undefined {
    const secrets: string[] = [];
    for (const { jwe } of signing(sealed, now)) {
      const secret = this.#opened.get(jwe);
      if (secret === undefined) return undefined;
      secrets.push(secret);
    }
    return secrets;
  }

  /**
   * The secrets that sign at `now`, newest first, and known from then on. Rejects with `SealBroken` when one does not
   * open.
   */
  async open(stitchId: string, sealed: readonly SealedSecret[], now: number): Promise<readonly string[]> {
    const wanted = signing(sealed, now);
    const secrets = await Promise.all(
      wanted.map(
        async ({ jwe }) => this.#opened.get(jwe) ?? (await this.#vault.open(secretContext(stitchId), jwe)),
      ),
    );
    wanted.forEach(({ jwe }, index) => {
      this.#opened.delete(jwe);
      this.#opened.set(jwe, secrets[index] ?? '');
    });
    for (const [oldest] of this.#opened) {
      if (this.#opened.size <= mostKept) break;
      this.#opened.delete(oldest);
    }
    return secrets;
  }
}
