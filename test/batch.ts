/**
 * Test files one after the other in one process, for the runner (main.ts), which names them in BATCH. A small file spends much of its time on
 * what every file does: loading the test framework and the server costs two seconds of processor time, and is done once here.
 *
 * Each file has the `tap` of its own that it would have alone: a test of that name, which ends, with its teardown, before the next file begins.
 * The environment is then what it was. A process that does not end after its last file says which file has left what behind.
 */
import { registerHooks } from 'node:module';
import { delimiter, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import t, { type Test } from 'tap';
import { endShared, share } from './support/shared-by-files.ts';

/** After which a file is told to say where it hangs, in milliseconds. */
const timeout = Number(process.env['BATCH_TIMEOUT'] ?? 0) * 1_000;
/** How long connections and servers that were told to close may take for it, on a machine with other things to do. */
const endingMs = 300_000;
const scheme = 'tap-of:';
/** By the file's address. The sources below find it by its key. */
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

/** What keeps the process alive, after each file. */
const left: string[] = [];
const environment = { ...process.env };

function restoreEnvironment(): void {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
}

t.setTimeout(0);
share();
// Not as arguments: tap calls folders of tests by those.
for (const file of (process.env['BATCH'] ?? '').split(delimiter)) {
  await t.test(file, { timeout }, async own => {
    const { href } = pathToFileURL(resolve(file));
    tests.set(href, own);
    await import(href);
  });
  restoreEnvironment();
  left.push(`after ${file}: ${process.getActiveResourcesInfo().sort().join(', ')}`);
}
await endShared();
// The process ends by itself when nothing is left, before this.
setTimeout(() => {
  process.stderr.write(
    `this process does not end, though its tests have. What was open:\n${left.join('\n')}\n`,
  );
  process.exit(1);
}, endingMs).unref();
