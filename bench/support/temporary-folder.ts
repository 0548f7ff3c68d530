/** A temporary folder that the account which runs PostgreSQL may pass through, so that everything lies and goes with it. */
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export async function temporaryFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  // As root the server runs under another account; from behind 0700 it would put its data elsewhere, and leave them there.
  await chmod(folder, 0o711);
  return folder;
}
