/**
 * The keys of a node that was given none: `<DATA_DIR>/keys.json`, created once, readable by its owner only. The database
 * without this file reveals no secret, and without it every credential is lost, so it belongs in the backup.
 */
import { randomBytes } from 'node:crypto';
import { chmod, link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

export interface Keys {
  /** As SECRET_KEYS: `kid:base64`, see key-ring.ts. */
  readonly secretKeys: string;
  /** As TOKEN_KEYS: `kid:base64`, the seed of an Ed25519 key that signs access tokens. */
  readonly tokenKeys: string;
}

function createKey(): string {
  return `${randomBytes(6).toString('hex')}:${randomBytes(32).toString('base64')}`;
}

/** The keys of the data folder, created if it has none. Of several processes at once, all get the keys of the first. */
export async function loadKeys(dataDir: string): Promise<Keys> {
  await mkdir(dataDir, { recursive: true });
  const path = join(dataDir, 'keys.json');
  return (await read(path)) ?? (await create(path));
}

/** The keys of the data folder; undefined where it has none. */
export function readKeys(dataDir: string): Promise<Keys | undefined> {
  return read(join(dataDir, 'keys.json'));
}

async function create(path: string): Promise<Keys> {
  const keys: Keys = { secretKeys: createKey(), tokenKeys: createKey() };
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const file = await open(draft, 'wx', 0o600);
    await file.writeFile(`${JSON.stringify(keys, null, 2)}\n`);
    await file.sync();
    await file.close();
    // A link appears at once and complete, and fails when another process was first.
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return (await read(path)) ?? keys;
}

async function read(path: string): Promise<Keys | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  await chmod(path, 0o600);
  const { secretKeys, tokenKeys } = parse(text) ?? {};
  if (typeof secretKeys !== 'string' || typeof tokenKeys !== 'string') {
    throw new Error(`${path} does not hold secretKeys and tokenKeys: restore it from a backup`);
  }
  return { secretKeys, tokenKeys };
}

/** Undefined for a text that is not JSON; the parser's own error would quote the keys. */
function parse(text: string): Partial<Keys> | undefined {
  try {
    return (JSON.parse(text) as Partial<Keys> | null) ?? undefined;
  } catch {
    return undefined;
  }
}
