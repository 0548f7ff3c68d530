/**
 * One live process owns a data folder.
 *
 * A claim is a file `owner-<n>.json` with the owner's pid and the start time of that process. The highest n counts, and n only grows. A
 * process that finds the highest claim free (released, or its process gone) creates the next file, which only one process can do. Then
 * it checks again, and gives way to any higher number: a slow claimant may have created a number that others have long passed. A
 * released claim stays behind, marked as such, so that numbers never start over.
 */
import { link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readProcessStart } from './process.ts';

interface Claim {
  readonly pid: number;
  /** See `readProcessStart`. */
  readonly started: string;
  readonly released: boolean;
}

/** Another live process, or another part of this one, owns the folder. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse';
  readonly folder: string;
  readonly pid: number;
  constructor(folder: string, pid: number) {
    super(
      `the data folder ${folder} is in use by process ${pid}: stop that process, or choose another DATA_DIR`,
    );
    this.folder = folder;
    this.pid = pid;
  }
}

export interface Ownership {
  /** Whether the previous owner ended without releasing: killed, or the machine lost power. */
  readonly inherited: boolean;
  /** Idempotent. */
  release(): Promise<void>;
}

const form = /^owner-(\d{1,9})\.json$/;

async function generations(folder: string): Promise<number[]> {
  const names = await readdir(folder);
  return names
    .map(name => Number(form.exec(name)?.[1] ?? Number.NaN))
    .filter(n => !Number.isNaN(n))
    .sort((a, b) => b - a);
}

async function read(path: string): Promise<Claim | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Claim;
  } catch (error) {
    // Removed by a newer owner meanwhile, or truncated by a power failure: nobody owns it.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function isHeld(claim: Claim | undefined): Promise<boolean> {
  return claim !== undefined && !claim.released && (await readProcessStart(claim.pid)) === claim.started;
}

/** Claims the folder, creating it. Rejects with {@link FolderInUse}. */
export async function claimFolder(folder: string): Promise<Ownership> {
  await mkdir(folder, { recursive: true });
  const started = (await readProcessStart(process.pid)) ?? '';
  const file = (n: number) => join(folder, `owner-${n}.json`);
  const draft = join(folder, `owner.${process.pid}.${performance.now()}.tmp`);
  await writeFile(draft, JSON.stringify({ pid: process.pid, started, released: false } satisfies Claim), {
    mode: 0o600,
  });
  try {
    for (;;) {
      const [highest = 0] = await generations(folder);
      const previous = highest === 0 ? undefined : await read(file(highest));
      if (previous !== undefined && (await isHeld(previous))) throw new FolderInUse(folder, previous.pid);

      const mine = highest + 1;
      try {
        // A link appears at once and complete, and fails when the name is taken.
        await link(draft, file(mine));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
        throw error;
      }
      const now = await generations(folder);
      if (now[0] !== mine) {
        await rm(file(mine), { force: true });
        continue;
      }
      for (const n of now) if (n < mine) await rm(file(n), { force: true });
      let releasing: Promise<void> | undefined;
      return {
        inherited: previous !== undefined && !previous.released,
        release: () => (releasing ??= release(file(mine), started)),
      };
    }
  } finally {
    await rm(draft, { force: true });
  }
}

async function release(path: string, started: string): Promise<void> {
  const draft = `${path}.tmp`;
  await writeFile(draft, JSON.stringify({ pid: process.pid, started, released: true } satisfies Claim), {
    mode: 0o600,
  });
  await rename(draft, path);
}
