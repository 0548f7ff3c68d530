/**
 * Where tests put databases and the data of nodes: in memory, where the system offers that, and in the temporary folder elsewhere.
 *
 * A copy of the database's template makes 1,650 files. On ext4 without a journal, as virtual machines have it, the file system looks at
 * every inode that was freed within the last minutes before it takes one, and the files that a run of tests has removed are many: the copy
 * costs 1.1 s of processor time, and 0.1 s in memory.
 *
 * What a killed process has written stays in both. Databases of tests that are about durability are on the disk anyway (database.ts).
 */
import { readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const inMemory = '/dev/shm';
/** A database of a test has some 100 MB, and a few run at once. Containers have 64 MB there, unless they are told otherwise. */
const neededBytes = 4 * 2 ** 30;

/** The folder for data of tests. */
export const dataRoot = isFit() ? inMemory : tmpdir();

/** Every folder that may have been that for an earlier process. */
export const dataRoots: readonly string[] = [...new Set([dataRoot, tmpdir()])];

/** Programs must run there, too: PostgreSQL's are copied beside its data where its account cannot read them. */
function isFit(): boolean {
  if (process.platform !== 'linux') return false;
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const [, , , options] = mounts.map(line => line.split(' ')).find(([, place]) => place === inMemory) ?? [];
  if (options === undefined || !options.startsWith('rw') || options.split(',').includes('noexec'))
    return false;
  const { bavail, bsize } = statfsSync(inMemory);
  return bavail * bsize >= neededBytes;
}
