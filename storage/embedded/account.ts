/** The account that the server runs under. PostgreSQL refuses to run as root, so root runs it as the user `postgres`. */
import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

const userName = 'postgres';

async function readUser(): Promise<Account | undefined> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n');
  const [, , uid, gid] = lines.find(line => line.startsWith(`${userName}:`))?.split(':') ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}

/**
 * The account for a server whose data are (or will be) in `data`: undefined for the process's own account, which is every case but root's.
 * For root it is the owner of existing data, else the user `postgres`, which is created where it is missing.
 */
export async function findAccount(data: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(join(data, 'PG_VERSION')).catch(() => undefined);
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const known = await readUser();
  if (known !== undefined) return known;
  try {
    await run('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/bin/false', userName]);
  } catch (cause) {
    throw new Error(
      `PostgreSQL does not run as root, and the user ${userName} that would run it could not be created`,
      { cause },
    );
  }
  const created = await readUser();
  if (created === undefined) throw new Error(`the user ${userName} was created but is not in /etc/passwd`);
  return created;
}
