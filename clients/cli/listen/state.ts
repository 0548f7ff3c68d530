/**
 * What `listen` keeps, beside the profiles: the secret of an environment, made once, so that what is in an `.env` stays right; and for each address
 * it forwards to, how far it has come. Whoever listens with SKEIN_API_KEY has them too.
 */
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Cursor } from '../../sdk/index.ts';
import { getConfigFolder, readPrivateFile, writePrivateFile } from '../files.ts';

/** How far events were forwarded. */
export interface Position {
  readonly cursor: Cursor;
  /** When the last of them occurred: where the stream does not go back so far, the list of events may. */
  readonly occurredAt?: string | undefined;
}

const folder = 'listen';

/** The secret that signs what is forwarded of this environment. */
export async function getWebhookSecret(environmentId: string): Promise<string> {
  const path = join(getConfigFolder(), folder, `${environmentId}.secret`);
  const known = await readPrivateFile(path);
  if (known !== undefined) return known.trim();
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  await writePrivateFile(path, `${secret}\n`);
  return secret;
}

export class PositionFile {
  readonly #path: string;

  constructor(environmentId: string, forwardTo: string) {
    const target = createHash('sha256').update(forwardTo).digest('hex').slice(0, 16);
    this.#path = join(getConfigFolder(), folder, `${environmentId}.${target}.json`);
  }

  /** undefined where nothing was forwarded there yet. */
  async read(): Promise<Position | undefined> {
    const text = await readPrivateFile(this.#path);
    try {
      return text === undefined ? undefined : (JSON.parse(text) as Position);
    } catch {
      return undefined;
    }
  }

  /** Five times a second, so without waiting for the disk: that would slow a database beside it. */
  write(position: Position): Promise<void> {
    return writePrivateFile(this.#path, `${JSON.stringify(position)}\n`, false);
  }
}
