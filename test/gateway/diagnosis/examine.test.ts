/** `npm run doctor` on a real database, NATS and bucket: what is in order, what fails and why, without secrets. */
import { spawnSync } from 'node:child_process';
import { randomBytes, X509Certificate } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { nodeOptions } from '../../../.config/node-options.js';
import { examine as examineNode, type Finding } from '../../../gateway/diagnosis/index.ts';
import { examineNats, examineWebCertificate } from '../../../gateway/diagnosis/surroundings.ts';
import { NatsConnection } from '../../../runtime/nats/connection.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { KeyRing, loadHashRoot } from '../../../storage/secrets/index.ts';
import { freshKey } from '../../support/accounts.ts';
import { clientTest, receiverTest } from '../../support/certificates.ts';
import { startTestServer } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { dataFolder } from '../../support/node-process.ts';
import { moduleCacheEnvironment, moduleCacheOptions } from '../../support/module-cache-options.ts';
import { NatsServer } from '../../support/nats-server.ts';
import { startS3 } from '../../support/s3.ts';

const program = fileURLToPath(new URL('../../../gateway/doctor.ts', import.meta.url));
const password = randomBytes(12).toString('hex');
const SECRET_KEYS = freshKey('k1');
const TOKEN_KEYS = freshKey('t1');

interface Report {
  readonly hasFailed: boolean;
  readonly output: string;
  /** By check; the last of several. */
  readonly findings: Readonly<Record<string, Finding>>;
}

async function examine(environment: Readonly<Record<string, string>>): Promise<Report> {
  const findings: Finding[] = [];
  for await (const finding of examineNode({ GRPC_PORT: 'off', PORT: '1', ...environment }, '1.2.3'))
    findings.push(finding);
  return {
    hasFailed: findings.some(({ result }) => result === 'failed'),
    output: JSON.stringify(findings),
    findings: Object.fromEntries(findings.map(finding => [finding.check, finding])),
  };
}

/** The address of a server with that certificate, which ends with the test. */
async function serveTls(t: Test, pair: { readonly key: string; readonly cert: string }): Promise<string> {
  const server = createTlsServer(pair, socket => socket.on('error', () => undefined));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => void server.close());
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const { url, database, createDatabase } = await startTestServer(t, { durable: true });
const DATA_DIR = await dataFolder(t);

t.test('a node of a cluster, with everything in order', async t => {
  const nats = await NatsServer.start({ user: 'skein', password });
  const s3 = await startS3(await dataFolder(t));
  const ready = createServer((_, response) => void response.end('{}'));
  await once(ready.listen(0, '127.0.0.1'), 'listening');
  t.teardown(async () => {
    ready.close();
    await Promise.all([nats.stop(), s3.stop()]);
  });
  // The client of the bucket reads its credentials there.
  Object.assign(process.env, s3.env);
  await loadHashRoot(database, new KeyRing(SECRET_KEYS));
  const [GRPC_TLS_CERT, GRPC_TLS_KEY] = ['cert', 'key'].map(name => join(DATA_DIR, `${name}.pem`)) as [
    string,
    string,
  ];
  await writeFile(GRPC_TLS_CERT, receiverTest.cert);
  await writeFile(GRPC_TLS_KEY, receiverTest.key);
  const environment = {
    DATA_DIR,
    HOST: '127.0.0.1',
    DATABASE_URL: url,
    NATS_URL: nats.url.replace('//', `//skein:${password}@`),
    MEDIA_URL: `s3://${s3.bucket}/files?pathStyle=true`,
    BASE_URL: `http://127.0.0.1:${(ready.address() as AddressInfo).port}`,
    GRPC_PORT: '0',
    SERVICE_TOKENS: `ops:${'s'.repeat(32)}`,
    GRPC_TLS_CERT,
    GRPC_TLS_KEY,
    SECRET_KEYS,
    TOKEN_KEYS,
  };
  const { hasFailed, output, findings } = await examine(environment);
  t.notOk(hasFailed, output);
  t.same(
    Object.values(findings).filter(({ result }) => result !== 'ok'),
    [{ check: 'mail', result: 'note', detail: findings['mail']?.detail }],
    'only mail is a note',
  );
  t.match(findings['nats'], { detail: 'with JetStream' });
  t.match(findings['keys'], { detail: 'k1 is the newest' });
  for (const secret of [password, SECRET_KEYS.slice(3), new URL(url).password])
    t.notMatch(output, secret, 'no secret');

  await writeFile(GRPC_TLS_KEY, clientTest.key);
  const wrong = await examine({
    ...environment,
    NATS_URL: nats.url.replace('//', `//skein:${password}x@`),
    MEDIA_URL: 's3://nobodys-bucket/files?pathStyle=true',
    SECRET_KEYS: freshKey('k1'),
  });
  t.match(wrong.findings, {
    nats: { result: 'failed', detail: 'refuses the credentials' },
    files: { result: 'failed', detail: 'nobodys-bucket takes no files' },
    keys: { result: 'failed', detail: 'are not those of this database' },
    certificate: { result: 'failed', detail: 'GRPC_TLS_KEY is not the key' },
  });
});

t.test('the certificate of the public address, whoever signed it', async t => {
  const baseUrl = await serveTls(t, receiverTest);
  const end = Date.parse(new X509Certificate(receiverTest.cert).validTo);
  for (const [daysBefore, result, detail] of [
    [22, 'ok', baseUrl],
    [20, 'note', 'renew it'],
    [-1, 'failed', 'it has ended'],
  ] as const) {
    t.match(await examineWebCertificate({ baseUrl }, end - daysBefore * 86_400_000), { result, detail });
  }
  for (const nowhere of ['http://127.0.0.1:1', 'https://127.0.0.1:1'])
    t.equal(await examineWebCertificate({ baseUrl: nowhere }), undefined, nowhere);
});

t.test('a register that one server of several keeps', async t => {
  const natsUrls = (await NatsServer.startCluster(t)).map(({ url }) => url);
  const look = () => examineNats({ natsUrls, cluster: 'skein' });
  const connection = await NatsConnection.open({ urls: natsUrls, name: 'test', log: silentLog });
  t.teardown(() => connection.close());
  const kv = (replicas: number): Promise<unknown> =>
    connection.client.jetstream().views.kv('skein_skein', { history: 1, replicas });
  // Until the servers have found each other, none of them can make it.
  await eventually('leader', () =>
    kv(1).then(
      () => true,
      () => false,
    ),
  );
  t.match(await look(), { result: 'note', detail: 'nats stream edit KV_skein_skein --replicas 3' });
  const manager = await connection.client.jetstreamManager();
  await manager.streams.delete('KV_skein_skein');
  t.match(await look(), { result: 'ok', detail: 'the first node makes' });
  await kv(3);
  t.match(await look(), { result: 'ok', detail: '3 servers keep' });
});

t.test('a database that is empty, later, or careless', async t => {
  const node = { DATA_DIR, SECRET_KEYS, TOKEN_KEYS };
  const empty = await examine({ ...node, DATABASE_URL: await createDatabase('empty'), HOST: '127.0.0.1' });
  t.notOk(empty.hasFailed, empty.output);
  t.match(empty.findings, { schema: { result: 'note', detail: 'the next start runs' } });
  await database.query(`insert into migrations (name) values ('9999-later')`);
  const later = await examine({ ...node, DATABASE_URL: url, HOST: '127.0.0.1' });
  await database.query(`delete from migrations where name = '9999-later'`);
  t.match(later, { findings: { schema: { result: 'failed', detail: '9999-later' } } });
  const careless = await startTestServer(t);
  const lax = await examine({ ...node, DATABASE_URL: careless.url, HOST: '127.0.0.1' });
  t.match(lax, { findings: { durability: { result: 'failed', detail: 'fsync' } } });
});

t.test('nothing there yet is no failure, and what is wrong is named', async t => {
  const fresh = await examine({ DATA_DIR: join(DATA_DIR, 'new') });
  t.notOk(fresh.hasFailed, fresh.output);
  t.match(fresh.findings, { database: { result: 'note', detail: 'the first start makes one' } });
  const bad = await examine({ DATA_DIR, PORT: 'many', DATABASE_URL: `mysql://u:${password}@localhost/x` });
  t.match(bad.output, 'PORT wants a port');
  t.match(bad.output, 'DATABASE_URL wants');
  t.notMatch(bad.output, password);
  const away = await examine({
    DATA_DIR,
    DATABASE_URL: `postgres://u:${password}@127.0.0.1:1/x`,
    HOST: '127.0.0.1',
  });
  t.match(away, { findings: { database: { result: 'failed', detail: '127.0.0.1:1/x' } } });
  t.notMatch(away.output, password);
});

t.test(
  'the program prints a finding for each line, and its exit code says whether one has failed',
  async t => {
    const run = (variables: Readonly<Record<string, string>>) =>
      spawnSync(process.execPath, [...nodeOptions, ...moduleCacheOptions, program, '--json'], {
        encoding: 'utf8',
        env: {
          PATH: process.env['PATH'],
          ...moduleCacheEnvironment,
          GRPC_PORT: 'off',
          PORT: '1',
          ...variables,
        },
      });
    const fresh = run({ DATA_DIR: join(DATA_DIR, 'new') });
    t.equal(fresh.status, 0, fresh.stderr);
    const checks = fresh.stdout
      .trim()
      .split('\n')
      .map(line => (JSON.parse(line) as Finding).check);
    t.ok(checks.includes('program') && checks.includes('disk'), checks.join());
    t.equal(run({ PORT: 'many' }).status, 1);
  },
);
