import t from 'tap';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderInUse, claimFolder } from '../../../storage/embedded/ownership.ts';
import { readProcessStart } from '../../../storage/embedded/process.ts';

async function newFolder(t: { teardown(handler: () => Promise<void>): unknown }): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'skein-owner-'));
  t.teardown(() => rm(folder, { recursive: true }));
  return folder;
}

t.test('a folder has one owner, until it lets go', async t => {
  const folder = await newFolder(t);
  const first = await claimFolder(folder);
  t.equal(first.inherited, false);
  await t.rejects(claimFolder(folder), {
    name: 'FolderInUse',
    pid: process.pid,
    folder,
    message: new RegExp(folder),
  });
  await first.release();
  const second = await claimFolder(folder);
  t.equal(second.inherited, false);
  await first.release();
  await t.rejects(claimFolder(folder), FolderInUse, 'releasing twice takes nothing from the next owner');
  t.strictSame(await readdir(folder), ['owner-2.json'], 'only the newest claim is kept');
});

t.test('of many claimants one wins, whoever held it before', async t => {
  const folder = await newFolder(t);
  for (let round = 1; round <= 20; round++) {
    // The last owner was killed: its pid is ours now, as after a reboot, but it started at another time.
    const [highest = 0] = (await readdir(folder)).map(name => Number(/\d+/.exec(name)?.[0]));
    const stale = { pid: process.pid, started: 'another boot/1', released: false };
    await writeFile(join(folder, `owner-${highest + 1}.json`), JSON.stringify(stale));
    const claims = await Promise.allSettled(Array.from({ length: 8 }, () => claimFolder(folder)));
    const won = claims.filter(claim => claim.status === 'fulfilled');
    t.equal(won.length, 1, `round ${round}`);
    t.equal(won[0]?.value.inherited, true);
    for (const claim of claims) if (claim.status === 'rejected') t.type(claim.reason, FolderInUse);
    await won[0]?.value.release();
  }
});

t.test('an incomplete claim is ignored', async t => {
  const folder = await newFolder(t);
  await writeFile(join(folder, 'owner-7.json'), '{"pid": 1');
  const owner = await claimFolder(folder);
  await owner.release();
  t.strictSame(await readdir(folder), ['owner-8.json']);
});

t.test('the start of a process tells its pid from every other run of it', async t => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  const started = await readProcessStart(pid);
  t.type(started, 'string');
  t.equal(await readProcessStart(pid), started);
  t.not(await readProcessStart(process.pid), started);
  child.stdin.end();
  await once(child, 'exit');
  t.equal(await readProcessStart(pid), undefined);
});
