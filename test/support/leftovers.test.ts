/** Folders of dead test processes go, and those of living ones stay. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import t from 'tap';
import { removeLeftovers } from './leftovers.ts';
import { dataRoot } from './memory-folder.ts';

t.test('a folder goes with its process', async t => {
  const other = spawn(process.execPath, ['-e', '']);
  await once(other, 'exit');
  const make = async (name: string): Promise<string> => {
    const folder = await mkdtemp(join(dataRoot, name));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, 'file'), 'text');
    return folder;
  };
  const dead = await Promise.all(
    ['test-', 'nats-', 'check-install-'].map(sort => make(`skein-${sort}${other.pid}-data-`)),
  );
  const alive = await Promise.all([make(`skein-test-${process.pid}-data-`), make('skein-bench-')]);
  await removeLeftovers();
  const left = new Set(await readdir(dataRoot));
  t.same(
    dead.filter(folder => left.has(basename(folder))),
    [],
  );
  t.ok(alive.every(folder => left.has(basename(folder))));
});
