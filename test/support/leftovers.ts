/** What test processes that were killed have left: their servers, and their folders, whose names have the process. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { silentLog } from '../../runtime/observability/log.ts';
import { FolderInUse, startEmbedded } from '../../storage/embedded/start.ts';
import { dataRoots } from './memory-folder.ts';

/** `skein-test-123-abcdef`, `skein-nats-123-abcdef`, `skein-test-123-data-abcdef`. */
const ofProcess = /^skein-(?:[a-z]+-)+(\d+)-/;

/** Stops these servers and removes these folders; those of processes that live stay. */
export async function removeLeftovers(): Promise<void> {
  const names = await Promise.all(
    dataRoots.map(async folder => (await readdir(folder)).map(name => [folder, name] as const)),
  );
  for (const [folder, name] of names.flat()) {
    const creator = Number(ofProcess.exec(name)?.[1]);
    if (Number.isNaN(creator) || isAlive(creator)) continue;
    const root = join(folder, name);
    const status = await readFile(join(root, 'postgres', 'data', 'postmaster.pid'), 'utf8').catch(() => '');
    const postmaster = Number(status.split('\n')[0]);
    try {
      if (postmaster > 0 && isAlive(postmaster)) {
        const server = await startEmbedded({ folder: join(root, 'postgres'), log: silentLog });
        await server.stop();
      }
      await rm(root, { recursive: true, force: true });
    } catch (error) {
      // Another test process is removing the same folder.
      if (!(error instanceof FolderInUse)) throw error;
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Of another account.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
