/**
 * Bugs to be planted: for each rule that the simulation holds, at least one small edit that breaks it. Each is made in a copy of the
 * code, never in place, and the simulation has to find it within {@link mostSeeds} seeds. A recipe names the text that it
 * replaces, which must be there once: when the code moves on, the recipe fails loudly and is written anew.
 */
import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Law } from './laws.ts';
import { plants, type Plant } from './plants.ts';

const mostSeeds = 5_000;
const root = new URL('../../', import.meta.url).pathname;
const copied = [
  'runtime',
  'storage',
  'gateway',
  'actors',
  'protocol',
  'test',
  'package.json',
  'tsconfig.json',
];

interface Found {
  readonly seed: number;
  readonly tried: number;
  readonly law: Law;
}

/** A copy of the code with the bug in it. */
async function plantIn(folder: string, { file, find, replace }: Plant): Promise<void> {
  for (const each of copied) await cp(join(root, each), join(folder, each), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const path = join(folder, file);
  const source = await readFile(path, 'utf8');
  const parts = source.split(find);
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times, and not once:\n${find}`);
  await writeFile(path, parts.join(replace));
}

/** Simulates in the copy until a law is broken; undefined when none is. */
function firstFailure(folder: string): Promise<Found | undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [join(folder, 'test/simulation/first-failure.ts'), String(mostSeeds)],
      {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.once('error', reject);
    child.once('close', code => {
      if (code === 0) resolve(JSON.parse(text) as Found);
      else if (code === 3) resolve(undefined);
      else reject(new Error(`the simulation ended with ${code}`));
    });
  });
}

/** Plants each bug whose name has `named` in it, and tells what became of it. False when one was not found. */
export async function findPlanted(named: string | undefined, tell: (line: string) => void): Promise<boolean> {
  const chosen = plants.filter(({ bug }) => named === undefined || bug.includes(named));
  if (chosen.length === 0) throw new RangeError(`no planted bug has ${named} in its name`);
  let areAllFound = true;
  for (const plant of chosen) {
    const folder = await mkdtemp(join(tmpdir(), 'skein-planted-'));
    try {
      await plantIn(folder, plant);
      const found = await firstFailure(folder);
      areAllFound &&= found !== undefined;
      const outcome = found === undefined ? `NOT FOUND in ${mostSeeds} seeds` : told(found);
      tell(`${plant.rule.padEnd(16)} ${plant.bug.padEnd(58)} ${outcome}`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  return areAllFound;
}

function told({ seed, tried, law }: Found): string {
  return `found by seed ${seed}, after ${tried}: ${law}`;
}
