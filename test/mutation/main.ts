/**
 * `npm run mutation -- AREA... [--count 200] [--seed 1] [--files 12]`: changes the code of gateway, storage, clients or another folder in random
 * places, one at a time, and runs the test files that execute the place until one fails. Prints the mutations that survive.
 *
 * No file is changed: the loader of the tests replaces the text (support/module-cache.js), in the process of the test and in the processes that
 * it starts. First every quick test file runs once, to record what it executes (node_modules/.cache/skein-tests/coverage.json).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { covers, type Coverage } from './coverage.ts';
import { findMutations, type Mutation, pick } from './candidates.ts';

const coverageFile = 'node_modules/.cache/skein-tests/coverage.jsonl';

const { values, positionals: areas } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    /** Test files for each mutation, at most. Those in the folder of the same name come first, then those that cover least. */
    files: { type: 'string', default: '12' },
    /** Records the coverage again. */
    record: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
if (areas.length === 0)
  throw new RangeError('usage: npm run mutation -- AREA... [--count 200] [--seed 1] [--files 12]');

async function runTests(files: readonly string[], environment: Record<string, string>): Promise<boolean> {
  const args = ['.config/launch.js', 'test/main.ts', ...files];
  const child = spawn(process.execPath, args, { stdio: 'ignore', env: { ...process.env, ...environment } });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code === 0;
}

interface Recorded {
  readonly file: string;
  readonly coverage: Coverage;
}

async function record(): Promise<Recorded[]> {
  if (values.record || !existsSync(coverageFile)) {
    mkdirSync(dirname(coverageFile), { recursive: true });
    rmSync(coverageFile, { force: true });
    process.stdout.write('recording what each test file executes\n');
    await runTests([], { TEST_COVERAGE: coverageFile });
  }
  const lines = readFileSync(coverageFile, 'utf8').trimEnd().split('\n');
  return lines.map(line => JSON.parse(line) as Recorded);
}

const recorded = await record();

/** Returns the test files that execute the place. */
function selectTests({ file, from }: Mutation): string[] {
  const folder = dirname(file);
  const line = readFileSync(file, 'utf8').slice(0, from).split('\n').length - 1;
  const width = (each: Recorded): number => Object.keys(each.coverage).length;
  return recorded
    .filter(({ coverage }) => covers(coverage, file, line))
    .sort((a, b) => Number(b.file.includes(folder)) - Number(a.file.includes(folder)) || width(a) - width(b))
    .slice(0, Number(values.files))
    .map(each => each.file);
}

function describe({ file, from, to, replacement }: Mutation): string {
  const text = readFileSync(file, 'utf8');
  const line = text.slice(0, from).split('\n').length;
  return `${file}:${line}: ${text.slice(from, to).trim()} -> ${replacement.trim()}`;
}

const mutations = pick(
  findMutations(areas.map(area => `${area}/**/*.ts`)),
  Number(values.count),
  Number(values.seed),
);
const survivors: string[] = [];
let unreached = 0;
for (const [at, mutation] of mutations.entries()) {
  const tests = selectTests(mutation);
  if (tests.length === 0) unreached++;
  let caughtBy: string | undefined;
  for (const test of tests) {
    if (await runTests([test], { MUTATION: JSON.stringify(mutation) })) continue;
    caughtBy = test;
    break;
  }
  const verdict = caughtBy === undefined ? `SURVIVED ${tests.length} test files` : `caught by ${caughtBy}`;
  if (caughtBy === undefined) survivors.push(describe(mutation));
  process.stdout.write(`${at + 1}/${mutations.length} ${describe(mutation)}: ${verdict}\n`);
}
process.stdout.write(
  `${mutations.length} mutations, ${mutations.length - survivors.length} caught, ${survivors.length} survived, ${unreached} of these in code that no test executes\n`,
);
for (const survivor of survivors) process.stdout.write(`survived: ${survivor}\n`);
