/**
 * Runs test files one after the other in this process, as the runner sends them (worker-process.ts). Loading the test framework and the
 * server costs two seconds of processor time; files that share a process pay it once.
 *
 * Each file has a `tap` of its own: a subtest that ends, with its teardown, before the next file starts. The environment is then restored.
 * A process that does not end after its last file names the resources that were open after each file.
 */
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import t, { type Test } from 'tap';
import { startCoverage } from '../mutation/coverage.ts';
import { endShared, startSharing } from '../support/shared-by-files.ts';
import { readProcessorTime } from './processor-time.ts';

type Order = { readonly file: string } | { readonly end: true };

/** Sent after each file. */
export interface FileReport {
  /** Processor time of the file in milliseconds, with that of what it started. */
  readonly processorMs: number;
  /** Memory of the process. */
  readonly residentBytes: number;
}

/** Time limit of a file in milliseconds: far more than any file needs on a slow machine. It ends a test that hangs. */
const timeoutMs = 900_000;
/** Time limit for closing connections and servers after the last file, in milliseconds. */
const endingMs = 300_000;
const scheme = 'tap-of:';
/** The subtest of each file by its URL. The modules below find the map by `key`. */
const tests = new Map<string, Test>();
const key = 'skein.tests-by-file';
(globalThis as unknown as Record<symbol, unknown>)[Symbol.for(key)] = tests;

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '' } = context;
    if (specifier !== 'tap' || !tests.has(parentURL)) return next(specifier, context);
    return { url: `${scheme}${parentURL}`, format: 'module', shortCircuit: true };
  },
  load(url, context, next) {
    if (!url.startsWith(scheme)) return next(url, context);
    const file = JSON.stringify(url.slice(scheme.length));
    const source = `export default globalThis[Symbol.for('${key}')].get(${file});`;
    return { format: 'module', source, shortCircuit: true };
  },
});

/** Open resources after each file. */
const open: string[] = [];
const environment = { ...process.env };

function restoreEnvironment(): void {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
}

/** Set for mutation tests: the file that receives what each test file executes. */
const coverageFile = environment['TEST_COVERAGE'];
const takeCoverage = coverageFile === undefined ? undefined : await startCoverage();

async function runFile(file: string): Promise<void> {
  const before = readProcessorTime();
  await t.test(file, { timeout: timeoutMs }, async own => {
    const { href } = pathToFileURL(resolve(file));
    tests.set(href, own);
    await import(href);
  });
  if (coverageFile !== undefined) {
    appendFileSync(coverageFile, `${JSON.stringify({ file, coverage: await takeCoverage?.() })}\n`);
  }
  restoreEnvironment();
  open.push(`after ${file}: ${process.getActiveResourcesInfo().sort().join(', ')}`);
  const report: FileReport = {
    processorMs: readProcessorTime() - before,
    residentBytes: process.memoryUsage().rss,
  };
  process.send?.(report);
}

async function end(): Promise<void> {
  clearInterval(waiting);
  await endShared();
  process.disconnect();
  t.end();
  // Unreferenced: a process without open resources ends by itself before.
  setTimeout(() => {
    process.stderr.write(`a test process does not end. Open resources:\n${open.join('\n')}\n`);
    process.exit(2);
  }, endingMs).unref();
}

// Runs the handlers of `exit`, which remove what the files have started.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));
/** Keeps the process alive between files: tap unreferences the channel to the runner. */
const waiting = setInterval(() => undefined, 2 ** 30);
t.setTimeout(0);
// Every database, node and browser of the files listens for the end of the process.
process.setMaxListeners(0);
startSharing();
process.on('message', (order: Order) => void ('file' in order ? runFile(order.file) : end()));
