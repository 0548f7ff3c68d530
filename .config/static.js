// @ts-check
/**
 * Runs the checks that read the code without running it (`npm run static`), one for each processor at a time. Prints the output of a check as a
 * whole when it ends. A failed check does not stop the others; the exit code is then 1.
 *
 *     npm run static
 *     npm run static -- format layers     some of them
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Scripts of package.json, each a call of the launcher. The longest comes first. */
const checks = ['lint', 'types', 'layers', 'format', 'text'];
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
const named = process.argv.slice(2);
const waiting = named.length > 0 ? named : checks;

/**
 * The compiler and the linter are Go programs. With this value their garbage collectors run less often: 25 % less processor time for 15 % more
 * memory. Default: 100.
 */
const env = { GOGC: '400', ...process.env };

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => {
    waiting.length = 0;
    for (const child of running) child.kill(signal);
  });
}

/** Processor time of all ended children and their descendants, in seconds. Undefined where there is no /proc. */
function readProcessorSeconds() {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // Fields 16 and 17 of proc_pid_stat(5), counted from the state after the name in parentheses. In hundredths of a second.
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(13, 15);
    return (Number(user) + Number(system)) / 100;
  } catch {
    return undefined;
  }
}

/** @param {number} started */
const getSeconds = started => ((performance.now() - started) / 1_000).toFixed(1);

/** @param {string} check */
async function run(check) {
  const started = performance.now();
  const [, ...args] = scripts[check].split(' ');
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  /** @type {Buffer[]} */
  const printed = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => printed.push(chunk));
  const [code] = await once(child, 'close');
  running.delete(child);
  const outcome = code === 0 ? 'passed' : 'failed';
  process.stdout.write(`${Buffer.concat(printed)}${check}: ${outcome} after ${getSeconds(started)} s\n`);
  if (code !== 0) process.exitCode = 1;
}

const started = performance.now();
const runNext = async () => {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await run(next);
};
await Promise.all(Array.from({ length: availableParallelism() }, runNext));
const processorSeconds = readProcessorSeconds();
const processorTime =
  processorSeconds === undefined ? '' : `, ${processorSeconds.toFixed(1)} s of processor time`;
process.stdout.write(`static checks: ${getSeconds(started)} s${processorTime}\n`);
