/** Node processes that cannot start, and starts that are interrupted. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { NodeProcess } from '../../support/node-process.ts';
import { Client, Line } from '../../node/client.ts';
import { eventually } from '../../support/eventually.ts';
import { keepsSecrets } from '../../node/secrets.ts';
import { signUp } from '../../node/tenant.ts';

/** Starts a node that must fail, and returns its output. */
async function refusal(
  t: Test,
  environment: Record<string, string>,
): Promise<{ code: number | null; said: string }> {
  const node = await NodeProcess.make(t, environment);
  node.spawn();
  const { code } = await node.exited();
  t.notMatch(node.output, /"msg":"ready"/);
  return { code, said: node.output };
}

t.test('a data folder has one node', async t => {
  const origin = 'https://app.example.org';
  const node = await NodeProcess.make(t, { CORS_ORIGINS: origin });
  await node.start();
  const line = new Line(node.url, t);
  const tenant = await signUp(line);
  const asked = await fetch(`${node.url}/v1/projects`, { headers: { origin } });
  t.strictSame([asked.status, asked.headers.get('access-control-allow-origin')], [401, origin]);
  const { code, said } = await refusal(t, { DATA_DIR: node.folder });
  t.equal(code, 1);
  t.match(said, `is in use by process ${node.pid}: stop that process, or choose another DATA_DIR`);
  t.match(await tenant.person.get('me'), { email: tenant.email }, 'the first is as it was');

  t.test('a port has one node', async t => {
    const { code, said } = await refusal(t, { PORT: String(node.port) });
    t.equal(code, 1);
    t.match(said, `"msg":"PORT: cannot listen on 127.0.0.1:${node.port}: the port is taken`);
    t.notMatch(said, /PostgreSQL is ready|"stack"/, 'in one line, before anything is opened');
    t.match(await tenant.person.get('me'), { email: tenant.email }, 'the first is as it was');
  });

  t.test('a node that stops releases both', async t => {
    t.same(await node.stop(), { code: 0, signal: null });
    t.equal(node.lines.at(-1)?.msg, 'stopped', 'the last that it says');
    const left = t.testdir({ 'skein-file-AbCdEf': { bytes: 'of a participant' } });
    const more = { PORT: String(node.port), TMPDIR: left };
    const next = await NodeProcess.make(t, { DATA_DIR: node.folder, ...more });
    await next.start();
    t.notOk((await readdir(left)).includes('skein-file-AbCdEf'), 'what a killed one has left is removed');
    t.match(await tenant.person.get('me'), { email: tenant.email }, 'the token is good, the data are there');
    t.same(await next.stop(), { code: 0, signal: null });
    keepsSecrets(t, node.output + next.output, line);
  });
});

t.test('no field of a log line appears twice, not even where PostgreSQL dies', async t => {
  const node = await NodeProcess.make(t);
  await node.start();
  const pid = await node.postmaster();
  process.kill(pid, 'SIGKILL');
  const revived = await node.said('PostgreSQL is ready again');
  t.equal(revived['serverPid'], await node.postmaster());
  await node.stop();
  const lines = node.output.trim().split('\n');
  // What is parsed has each field once.
  t.same(
    lines.filter(line => JSON.stringify(JSON.parse(line)) !== line),
    [],
  );
});

t.test('a first start that is killed half-way leaves nothing, and the next one starts anew', async t => {
  const node = await NodeProcess.make(t);
  // Within the making of the cluster, and within the migrations.
  node.spawn();
  await eventually('cluster in the making', async () => {
    const names = await readdir(join(node.folder, 'postgres')).catch(() => []);
    return names.some(name => name.startsWith('data'));
  });
  await node.kill();
  node.spawn();
  await node.said('PostgreSQL is ready');
  await node.kill();
  await node.start();
  const line = new Line(node.url, t);
  t.match(await (await signUp(line)).person.get('me'), { emailVerified: false });
  t.equal((await new Client(line).send('GET', '/readyz')).status, 200);
  t.same(await node.stop(), { code: 0, signal: null });
});
