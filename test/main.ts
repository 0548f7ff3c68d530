/**
 * Runs test files: `npm run tap [-- [--all | --rest] [--shard=1/4] [file ...]]`. Without names it runs every `*.test.ts` but not the
 * `*.full.test.ts`; `--all` runs both, `--rest` only the latter, and `--shard=1/4` the first of four parts.
 *
 * Runs one worker process more than there are processors, because some files wait at any time. A worker runs file after file
 * (runner/worker.ts), so that files share the database, the node and the browser that they start. Files that must not share a process are
 * named in runner/plan.ts.
 *
 * Prints TAP 14, or tap's display on a terminal; at the end the failures again, the slowest files, and the processor time by area. The exit
 * code is 1 when a test fails.
 *
 * The `tap` command is not used: it loads every process with hooks for coverage, mocks and a compiler, which cost 1.2 s of the 2.9 s of
 * processor time of a typical file.
 */
import { availableParallelism } from 'node:os';
import { PassThrough } from 'node:stream';
import { inspect } from 'node:util';
import { report } from '@tapjs/reporter';
import t from 'tap';
import { describeCosts, type FileCost } from './runner/costs.ts';
import { createQueue, parseArguments, type PlannedFile } from './runner/plan.ts';
import { endWorkers, WorkerProcess } from './runner/worker-process.ts';
import './support/module-cache.js';
import { removeLeftovers } from './support/leftovers.ts';

/** Option names of the display are read from the tap configuration; the defaults fit. */
const displayOptions = { get: () => undefined } as unknown as Parameters<typeof report>[2];

/** Failures with their place and cause, repeated at the end: the original is thousands of lines above. */
const failures: string[] = [];
/** Number of passed assertions by file. */
const passed = new Map<string, number>();
t.parser.on('result', ({ ok, todo, skip, fullname, diag }) => {
  const file = fullname.split(' > ')[1] ?? '';
  if (ok) passed.set(file, (passed.get(file) ?? 0) + 1);
  else if (!todo && !skip) failures.push(`${fullname}\n${inspect(diag)}`);
});

const costs: FileCost[] = [];

async function runFile(worker: WorkerProcess, file: string): Promise<void> {
  const output = new PassThrough();
  const results = t.stdin(file, { tapStream: output, buffered: true });
  const { failure, cost } = await worker.run(file, output);
  const parsed = await results;
  costs.push({ file, ...cost });
  if (!process.stdout.isTTY) {
    const verdict = failure === undefined && parsed?.ok === true ? 'passed' : 'FAILED';
    process.stderr.write(`${verdict} after ${(cost.wallMs / 1_000).toFixed(1)} s: ${file}\n`);
  }
  if (failure === undefined) return;
  // A worker that ends too early may have reported no failed assertion.
  if (parsed?.ok !== false) t.fail(failure);
  else failures.push(failure);
}

/** Runs files until none is left. The worker is kept for the next file that may share a process. */
async function runLane(take: () => PlannedFile | undefined): Promise<void> {
  let shared: WorkerProcess | undefined;
  for (let next; (next = take()) !== undefined;) {
    const { file, isAlone } = next;
    const worker = isAlone ? new WorkerProcess() : (shared ??= new WorkerProcess());
    await runFile(worker, file);
    if (!isAlone && worker.isFit) continue;
    if (!isAlone) shared = undefined;
    await endWorker(worker);
  }
  if (shared !== undefined) await endWorker(shared);
}

async function endWorker(worker: WorkerProcess): Promise<void> {
  const failure = await worker.end();
  if (failure !== undefined) t.fail(failure);
}

const options = parseArguments(process.argv.slice(2));
const queue = createQueue(options);
await removeLeftovers();
if (process.stdout.isTTY) await report('base', t, displayOptions);
t.setTimeout(0);
const lanes = availableParallelism() + 1;
t.jobs = lanes;

/** Not `once`: a library of tap ends the process at a signal to which only it listens. */
let interrupted = false;
for (const [signal, number] of [
  ['SIGINT', 2],
  ['SIGTERM', 15],
  ['SIGHUP', 1],
] as const) {
  process.on(signal, () => {
    if (interrupted) return;
    interrupted = true;
    void endWorkers()
      .then(removeLeftovers)
      .finally(() => process.exit(128 + number));
  });
}

const started = performance.now();
await Promise.all(Array.from({ length: lanes }, (_, lane) => runLane(() => queue.take(lane))));
for (const failure of failures) t.comment(`failed: ${failure}`);
for (const line of describeCosts(costs, passed, performance.now() - started)) t.comment(line);
t.end();
