/**
 * npm run sim -- --seeds N [--from S]   simulates N seeds, from S on (default: fresh ones), on all cores
 * npm run sim -- --seed S               replays one seed, and tells its story
 *   either with --load usual|behind|long  gives all seeds that load (load.ts), and not each its own
 * npm run sim -- --membership [--nodes 3,10] [--seed S]  counts what clusters of so many nodes pay for being one (membership.ts)
 * npm run sim -- --mutants [name] [--seeds N]   makes bugs in a copy of the code, one after another, and finds each within N seeds (5,000)
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { runBatch, unmet, type Batch, type Told } from './batch.ts';
import { faultKinds, type FaultKind } from './faults.ts';
import { invariants } from './invariants.ts';
import { findMutants } from './find-mutants.ts';
import { isLoad, type LoadName, loads } from './load.ts';
import { tellMembership } from './tell-membership.ts';
import { simulate } from './simulate.ts';

const defaultSeeds = 500;
const shownViolations = 5;
/** Fewer seeds need not meet every fault. */
const enoughForAll = 200;

const { values, positionals } = parseArgs({
  options: {
    seeds: { type: 'string' },
    from: { type: 'string' },
    seed: { type: 'string' },
    load: { type: 'string' },
    mutants: { type: 'boolean', default: false },
    membership: { type: 'boolean', default: false },
    nodes: { type: 'string', default: '3,10,25,50,100,200' },
  },
  allowPositionals: true,
});

const write = (line: string): void => void process.stdout.write(`${line}\n`);

/** Throws a `RangeError` that names the option. */
function whole(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0)
    throw new RangeError(`--${name} must be a whole number, not ${text}`);
  return value;
}

/** Throws a `RangeError` for a load that there is not. */
function toLoad(name: string | undefined): LoadName | undefined {
  if (name === undefined || isLoad(name)) return name;
  throw new RangeError(`--load must be one of ${Object.keys(loads).join(', ')}, not ${name}`);
}

const load = toLoad(values.load);

function showViolations({ seed, violations }: Pick<Told, 'seed' | 'violations'>): void {
  for (const { invariant, detail, at } of violations.slice(0, shownViolations)) {
    write(`  seed ${seed}, ${at.toFixed(1)} ms: ${invariant} (${invariants[invariant]})\n    ${detail}`);
  }
  if (violations.length > shownViolations) write(`  and ${violations.length - shownViolations} more`);
  write(`  replay: npm run sim -- --seed ${seed}${load === undefined ? '' : ` --load ${load}`}`);
}

async function replay(seed: number): Promise<boolean> {
  const { story, violations, fingerprint, steps, virtualMs } = await simulate(seed, { isTold: true, load });
  for (const line of story) write(line);
  write(
    `seed ${seed}: ${steps} steps, ${(virtualMs / 1_000).toFixed(1)} s of virtual time, fingerprint ${fingerprint}`,
  );
  if (violations.length === 0) write('every invariant was kept');
  else showViolations({ seed, violations });
  return violations.length === 0;
}

async function many(from: number, seeds: number): Promise<boolean> {
  const began = performance.now();
  let toldAt = 0;
  const progress = (told: Told, done: number): void => {
    if (told.violations.length > 0) showViolations(told);
    const elapsed = performance.now() - began;
    if (elapsed - toldAt < 2_000) return;
    toldAt = elapsed;
    write(`  ${done} of ${seeds} seeds, ${((done * 1_000) / elapsed).toFixed(1)} per second`);
  };
  write(`seeds ${from} to ${from + seeds - 1}`);
  const batch = await runBatch({ from, seeds, progress, load });
  showBatch(batch);
  const missing = seeds < enoughForAll ? [] : unmet(batch.faults);
  for (const kind of missing) write(`no seed met this fault: ${kind} (${faultKinds[kind]})`);
  return batch.failed.length === 0 && missing.length === 0;
}

function showBatch({ seeds, seconds, virtualSeconds, acknowledged, faults, failed }: Batch): void {
  const rate = (seeds / seconds).toFixed(1);
  write(
    `${seeds} seeds in ${seconds.toFixed(1)} s (${rate} per second): ${(virtualSeconds / 3_600).toFixed(1)} hours of`,
  );
  write(`virtual time, ${acknowledged} acknowledged operations. Faults that had an effect:`);
  for (const [kind, count] of Object.entries(faults) as [FaultKind, number][]) {
    write(`  ${String(count).padStart(9)}  ${kind.padEnd(26)} ${faultKinds[kind]}`);
  }
  write(
    failed.length === 0
      ? 'every invariant was kept'
      : `broken by the seeds ${failed.map(({ seed }) => seed).join(', ')}`,
  );
}

async function main(): Promise<boolean> {
  if (values.mutants) return findMutants(positionals[0], whole('seeds', values.seeds ?? '5000'), write);
  if (values.membership) {
    const nodes = values.nodes.split(',').map(text => whole('nodes', text));
    await tellMembership(nodes, whole('seed', values.seed ?? '1'), write);
    return true;
  }
  if (values.seed !== undefined) return replay(whole('seed', values.seed));
  const from = values.from === undefined ? randomInt(1, 2 ** 31) : whole('from', values.from);
  return many(from, whole('seeds', values.seeds ?? positionals[0] ?? String(defaultSeeds)));
}

process.exitCode = (await main()) ? 0 : 1;
