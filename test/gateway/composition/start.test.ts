/** Starts that cannot be, and starts that were cut off: the first say why and leave everything as it was, the second start again. */
import { spawnSync } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { serverOptions } from '../../../.config/node-options.js';
import { moduleCacheEnvironment, moduleCacheOptions } from '../../support/module-cache-options.ts';
import { dataFolder, NodeProcess } from '../../support/node-process.ts';
import { Client, Line } from '../../node/client.ts';
import { eventually } from '../../support/eventually.ts';
import { keepsSecrets } from '../../node/secrets.ts';
import { signUp } from '../../node/tenant.ts';

const main = fileURLToPath(new URL('../../../gateway/main.ts', import.meta.url));

/** Starts a node that must not come up, and gives what it said. */
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

t.test('an unknown argument starts nothing; the version and the help do not, either', async t => {
  const run = (...given: string[]) =>
    spawnSync(process.execPath, [...serverOptions, ...moduleCacheOptions, main, ...given], {
      encoding: 'utf8',
      env: { ...process.env, ...moduleCacheEnvironment },
    });
  for (const argument of ['--prot', 'start', '--help=x', '-v', '']) {
    const { status, stderr } = run(argument);
    t.equal(status, 64, argument);
    t.match(stderr, `unknown argument: ${argument}\n`);
  }
  const version = run('--version');
  t.match(version, { status: 0, stdout: /^\d+\.\d+\.\d+\n$/ });
  t.match(run('--help'), { status: 0, stdout: /^Usage: npm start/ });
});

t.test(
  'an invalid configuration is refused as a whole, naming each variable and showing no secret',
  async t => {
    const secret = 'hunter2-hunter2-hunter2';
    const { code, said } = await refusal(t, {
      PORT: '80x',
      HOST: 'not a host',
      BASE_URL: 'https://example.com/path',
      DATABASE_URL: `mysql://user:${secret}@db/skein`,
      SECRET_KEYS: `one:${secret}`,
      TOKEN_KEYS: `one:${secret}`,
      SMTP_URL: `imap://user:${secret}@mail`,
      ALLOW_PRIVATE_ADDRESSES: 'yes',
      LOG_LEVEL: 'loud',
      SIGNUP: 'closed',
    });
    t.equal(code, 78, 'EX_CONFIG');
    for (const wants of [
      'PORT wants a port, 0 to 65535, not "80x"',
      'HOST wants an IP address or a host name, not "not a host"',
      'BASE_URL wants an http or https address without a path, not "https://example.com/path"',
      'DATABASE_URL wants a postgres:// address',
      'SECRET_KEYS wants kid:base64,kid:base64 with 32 bytes each',
      'TOKEN_KEYS wants kid:base64,kid:base64 with 32 bytes each',
      'SMTP_URL wants an smtp:// or smtps:// address',
      'ALLOW_PRIVATE_ADDRESSES wants true or false, not "yes"',
      'LOG_LEVEL wants fatal, error, warn, info, debug, trace or silent, not "loud"',
      'SIGNUP wants open or disabled, not "closed"',
    ]) {
      t.match(said, wants);
    }
    t.notMatch(said, secret);
    t.notMatch(said, 'at file:', 'no stack: it is not a fault of ours');
  },
);

t.test('an unreachable or foreign database is named without its password', async t => {
  const password = 'hunter2-hunter2-hunter2';
  const deaf = createServer(socket => socket.destroy()).listen(0, '127.0.0.1');
  await once(deaf, 'listening');
  t.teardown(() => void deaf.close());
  const { port } = deaf.address() as AddressInfo;
  for (const [address, reason] of [
    [`127.0.0.1:${port}`, /Connection terminated|ECONNRESET/],
    ['127.0.0.1:1', /ECONNREFUSED 127.0.0.1:1/],
    ['nowhere.invalid', /nowhere.invalid/],
  ] as const) {
    const { code, said } = await refusal(t, {
      DATABASE_URL: `postgres://skein:${password}@${address}/skein`,
    });
    t.equal(code, 1);
    t.match(said, reason);
    t.match(said, 'DATABASE_URL', 'it says where to look');
    t.notMatch(said, password);
  }
});

t.test(
  'a folder that cannot be written ends the start at once, with one line that names the variable',
  async t => {
    for (const folder of ['/proc/x', '/proc/x/y', '/dev/null/x']) {
      for (const [variable, value] of [
        ['DATA_DIR', folder],
        ['MEDIA_URL', `file://${folder}`],
      ] as const) {
        const env = {
          ...moduleCacheEnvironment,
          PATH: process.env['PATH'],
          DATA_DIR: await dataFolder(t),
          PORT: '0',
          GRPC_PORT: 'off',
          [variable]: value,
        };
        const ended = spawnSync(process.execPath, [...serverOptions, ...moduleCacheOptions, main], {
          encoding: 'utf8',
          env,
          timeout: 60_000,
        });
        t.equal(ended.status, 1, ended.stdout + ended.stderr);
        const lines = ended.stdout.trim().split('\n');
        t.equal(lines.length, 1, ended.stdout);
        t.match(JSON.parse(lines[0] ?? ''), {
          level: 'fatal',
          msg: new RegExp(`^${variable}: cannot write to ${folder} `),
        });
      }
    }
  },
);

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

t.test('a key file that is damaged stops the start, and is not overwritten', async t => {
  const folder = await dataFolder(t);
  const file = join(folder, 'keys.json');
  const secret = 'hunter2-hunter2-hunter2';
  for (const damage of [
    '',
    `{"secretKeys":"a:${secret}`,
    '{}',
    `{"secretKeys":"a:${secret}","tokenKeys":"b"}`,
  ]) {
    await writeFile(file, damage);
    const { code, said } = await refusal(t, { DATA_DIR: folder });
    t.equal(code, 1);
    t.match(said, 'keys.json', damage);
    t.notMatch(said, 'hunter2');
    t.equal(await readFile(file, 'utf8'), damage);
  }
  t.same(await readdir(folder), ['keys.json'], 'nothing was begun');
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
