/**
 * Mutation testing of the simulation: for each rule that it holds there is at least one small edit of the code that breaks the rule
 * (mutants.ts). Each edit is made in a copy of the code, never in place, and the simulation has to find it within so many seeds.
 */
import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Invariant } from './invariants.ts';
import { mutants } from './mutants.ts';
import { mutate, type Mutant } from './mutate.ts';

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
  readonly invariant: Invariant;
}

/** A copy of the code with the bug in it. */
async function copyWithBug(folder: string, mutant: Mutant): Promise<void> {
  for (const each of copied) await cp(join(root, each), join(folder, each), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const edit of [mutant, ...(mutant.also === undefined ? [] : [mutant.also])]) {
    const path = join(folder, edit.file);
    await writeFile(path, mutate(await readFile(path, 'utf8'), edit));
  }
}

/** Simulates in the copy until an invariant is broken; undefined when none is. */
function firstFailure(folder: string, maxSeeds: number): Promise<Found | undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [join(folder, 'test/simulation/first-failure.ts'), String(maxSeeds)],
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

/** Looks for each bug whose name has `named` in it, and tells what came of it. False when one was not found. */
export async function findMutants(
  named: string | undefined,
  maxSeeds: number,
  tell: (line: string) => void,
): Promise<boolean> {
  const chosen = mutants.filter(({ bug }) => named === undefined || bug.includes(named));
  if (chosen.length === 0) throw new RangeError(`no mutant has ${named} in its name`);
  let areAllFound = true;
  for (const mutant of chosen) {
    const folder = await mkdtemp(join(tmpdir(), 'skein-mutant-'));
    try {
      await copyWithBug(folder, mutant);
      const found = await firstFailure(folder, maxSeeds);
      areAllFound &&= found !== undefined;
      const outcome = found === undefined ? `NOT FOUND in ${maxSeeds} seeds` : describe(found);
      tell(`${mutant.rule.padEnd(16)} ${mutant.bug.padEnd(58)} ${outcome}`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  return areAllFound;
}

function describe({ seed, tried, invariant }: Found): string {
  return `found by seed ${seed}, after ${tried}: ${invariant}`;
}
