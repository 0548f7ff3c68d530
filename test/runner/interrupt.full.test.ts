/** Ctrl-C ends a test run without a trace. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { nodeOptions } from '../../.config/node-options.js';
import { readProcessStart } from '../../storage/embedded/process.ts';
import { eventually } from '../support/eventually.ts';
import { dataRoots } from '../support/memory-folder.ts';
import { listDescendants } from './processor-time.ts';

const program = fileURLToPath(new URL('../main.ts', import.meta.url));

t.test('Ctrl-C leaves no process and no folder behind', async t => {
  const run = spawn(process.execPath, [...nodeOptions, program, 'test/support/skein.test.ts'], {
    stdio: 'ignore',
    // A group of its own, as a terminal gives it.
    detached: true,
  });
  const { pid = 0 } = run;
  t.teardown(() => run.kill('SIGKILL'));
  const ended = once(run, 'exit');
  const listFolders = (pids: readonly number[]): string[] =>
    dataRoots
      .flatMap(root => readdirSync(root))
      .filter(name => pids.some(each => name.startsWith(`skein-test-${each}-`)));
  let workers: readonly number[] = [];
  await eventually('folder of a worker', async () => {
    workers = listDescendants(pid);
    return listFolders(workers).length > 0;
  });
  process.kill(-pid, 'SIGINT');
  t.same(await ended, [130, null]);
  t.same(listFolders(workers), []);
  for (const each of workers) {
    await eventually('end of every process', async () => (await readProcessStart(each)) === undefined);
  }
});
