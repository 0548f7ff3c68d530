// @ts-check
/**
 * The checks that read the code and run none of it (`npm run static`): several at once, because each of them uses one processor. What one of
 * them says is printed as a whole, when it has ended. Exit code 1 when one of them fails; the others end nevertheless.
 *
 *     npm run static
 *     node .config/launch.js .config/static.js format layers     some of them
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';

/** Scripts of package.json. The longest comes first. */
const checks = ['lint', 'types:server', 'types:console', 'types:studio', 'layers', 'format'];
const named = process.argv.slice(2);
const waiting = named.length > 0 ? named : checks;

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => {
    waiting.length = 0;
    for (const child of running) child.kill(signal);
  });
}

/** @param {string} check */
async function run(check) {
  const started = performance.now();
  const child = spawn('npm', ['run', '--silent', check], {
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  });
  running.add(child);
  /** @type {Buffer[]} */
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => said.push(chunk));
  const [code] = await once(child, 'close');
  running.delete(child);
  const seconds = Math.round((performance.now() - started) / 1_000);
  process.stdout.write(
    `${Buffer.concat(said)}${check}: ${code === 0 ? 'passed' : 'failed'} after ${seconds} s\n`,
  );
  if (code !== 0) process.exitCode = 1;
}

const lane = async () => {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await run(next);
};
await Promise.all(Array.from({ length: availableParallelism() }, lane));
