/** The port of the node's own PostgreSQL: never one on which the node itself is going to listen. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { silentLog } from '../../../runtime/observability/log.ts';
import { freePort } from '../../../storage/embedded/cluster.ts';
import { startEmbedded } from '../../../storage/embedded/start.ts';

t.test('a reserved port is not given, neither as the preferred one nor by chance', async t => {
  const preferred = await freePort();
  t.equal(await freePort(preferred, [preferred + 1]), preferred);
  t.not(await freePort(preferred, [preferred]), preferred);
  // Half of all ports, in pairs, so that neither odd nor even ones alone are left.
  const reserved = Array.from({ length: 65_536 }, (_, port) => port).filter(port => port % 4 < 2);
  for (let count = 0; count < 40; count++) t.ok((await freePort(0, reserved)) % 4 >= 2);
});

t.test('a server that was on a port which is reserved now moves to another', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'skein-embedded-'));
  await chmod(folder, 0o711);
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const first = await startEmbedded({ folder, log: silentLog });
  const { port } = new URL(first.url);
  await first.stop();
  const second = await startEmbedded({ folder, log: silentLog, reservedPorts: [Number(port)] });
  t.teardown(() => second.stop());
  t.not(new URL(second.url).port, port);
});
