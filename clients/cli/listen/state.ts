/**
 * What `listen` keeps, beside the profiles: the secret of an environment, made once, so that what is in an `.env` stays right; and for each address
 * it forwards to, how far it has come. Whoever listens with SKEIN_API_KEY has them too.
 */
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Cursor } from '../../sdk/index.ts';
import { CliError } from '../failures.ts';
import { withFileLock } from '../file-lock.ts';
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
  if (known !== undefined) {
    const secret = known.trim();
    if (/^whsec_[\w+/]{40,}=*$/.test(secret)) return secret;
    throw new CliError(`${path} is damaged.`, undefined, 'Delete it, and give your handler the new secret.');
  }
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  await writePrivateFile(path, `${secret}\n`);
  return secret;
}

/** null where it is none. */
function parsePosition(text: string): Position | null {
  try {
    const position = JSON.parse(text) as Position;
    const { epoch, seq } = position.cursor;
    return typeof epoch === 'string' && Number.isSafeInteger(seq) ? position : null;
  } catch {
    return null;
  }
}

export class PositionFile {
  readonly #path: string;

  constructor(environmentId: string, forwardTo: string) {
    const target = createHash('sha256').update(forwardTo).digest('hex').slice(0, 16);
    this.#path = join(getConfigFolder(), folder, `${environmentId}.${target}.json`);
  }

  /**
   * undefined where nothing was forwarded there yet.
   *
   * @throws {CliError} it is damaged: to begin with now would leave out what happened since, without a word
   */
  async read(): Promise<Position | undefined> {
    const text = await readPrivateFile(this.#path);
    const position = text === undefined ? undefined : parsePosition(text);
    if (position !== null) return position;
    throw new CliError(
      `${this.#path} is damaged.`,
      undefined,
      'To begin with what happens now, say --from now.',
    );
  }

  /**
   * While no other `listen` forwards there: each event would come twice.
   *
   * @throws {CliError} another one does
   */
  async exclusively(act: () => Promise<void>): Promise<void> {
    await withFileLock(`${this.#path}.lock`, act, 0);
  }

  /** Five times a second, so without waiting for the disk: that would slow a database beside it. */
  write(position: Position): Promise<void> {
    return writePrivateFile(this.#path, `${JSON.stringify(position)}\n`, false);
  }
}
