/** What tests start does not outlive them, however they end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { readProcessStart } from '../../storage/embedded/process.ts';
import { eventually } from './eventually.ts';

t.test('a guarded process ends with the one that is killed, even when it is stopped', async t => {
  const program = fileURLToPath(new URL('./guarded-process.ts', import.meta.url));
  const parent = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'], env: {} });
  t.teardown(() => parent.kill('SIGKILL'));
  const [line] = (await once(createInterface(parent.stdout), 'line')) as [string];
  const pid = Number(line);
  t.not(await readProcessStart(pid), undefined);
  parent.kill('SIGKILL');
  await eventually('end of the process', async () => (await readProcessStart(pid)) === undefined);
});
