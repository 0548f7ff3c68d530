import { StorageType } from 'nats';
import t, { type Test } from 'tap';
import { registerStream, type BucketOptions } from '../../../runtime/cluster/nats-bucket.ts';
import { NatsConnection } from '../../../runtime/nats/connection.ts';
import { NatsRegister } from '../../../runtime/cluster/nats-register.ts';
import { RegisterUnavailable, type Change } from '../../../runtime/cluster/register.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { eventually } from '../../support/eventually.ts';
import { becomes } from '../../support/nats-node.ts';
import { NatsServer } from '../../support/nats-server.ts';
import { registerConformance } from './register.conformance.ts';

t.test('the conformance suite', async t => {
  const server = await NatsServer.of(t);
  let clusters = 0;
  registerConformance(t, async () => {
    const cluster = `test${clusters++}`;
    const open = async (name: string): Promise<[NatsConnection, NatsRegister]> => {
      const connection = await NatsConnection.open({ urls: [server.url], name, log: silentLog });
      return [connection, await NatsRegister.open({ connection, cluster, log: silentLog })];
    };
    const [[first, one], [second, two]] = await Promise.all([open('one'), open('two')]);
    const close = async (): Promise<void> => {
      one.close();
      two.close();
      await Promise.all([first.close(), second.close()]);
    };
    return { one, two, close };
  });
});

async function createRegister(
  t: Test,
  server: NatsServer,
  options: Partial<BucketOptions> = {},
): Promise<Opened> {
  const connection = await NatsConnection.open({ urls: [server.url], name: 'test', log: silentLog });
  t.teardown(() => connection.close());
  const register = await NatsRegister.open({ connection, cluster: 'test', log: silentLog, ...options });
  t.teardown(() => register.close());
  return { connection, register };
}

interface Opened {
  readonly connection: NatsConnection;
  readonly register: NatsRegister;
}

t.test('while NATS is away the register fails at once, and afterwards its entries are unchanged', async t => {
  const server = await NatsServer.of(t);
  const [{ connection, register }, other] = await Promise.all([
    createRegister(t, server),
    createRegister(t, server),
  ]);
  const heard: Change[] = [];
  const more = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  await register.watch(change => {
    heard.push(change);
    begun.resolve();
    if (change.value === 'third') more.resolve();
  });
  const first = (await register.create('node.a', 'first')) ?? 0;
  await begun.promise;

  const lost = becomes(connection, false);
  await server.kill();
  await lost;
  const asked: Promise<unknown>[] = [
    register.entries(),
    register.create('node.b', ''),
    register.update('node.a', '', first),
    register.remove('node.a', first),
    register.watch(() => undefined),
  ];
  for (const refused of asked) await t.rejects(refused, RegisterUnavailable);

  await server.restart();
  await Promise.all([becomes(connection, true), becomes(other.connection, true)]);
  t.strictSame(await register.entries(), [{ key: 'node.a', value: 'first', revision: first }]);
  const second = (await other.register.update('node.a', 'second', first)) ?? 0;
  t.ok(second > first);
  await other.register.update('node.a', 'third', second);
  await more.promise;
  t.match(heard[0], { value: 'first' });
  t.match(heard.at(-1), { value: 'third' });
  t.equal(new Set(heard.map(({ revision }) => revision)).size, heard.length, 'each change once');
});

t.test('a request that is under way when the connection is lost is refused at once', async t => {
  const server = await NatsServer.of(t);
  const { connection, register } = await createRegister(t, server, { timeoutMs: 60_000 });
  server.freeze();
  const refused = t.rejects(register.create('node.a', ''), RegisterUnavailable);
  const lost = becomes(connection, false);
  await server.kill();
  await Promise.all([refused, lost]);
});

t.test('a register that does not answer is given up in time', async t => {
  const server = await NatsServer.of(t);
  const { register } = await createRegister(t, server, { timeoutMs: 50 });
  server.freeze();
  await t.rejects(register.create('node.a', ''), RegisterUnavailable);
  await t.rejects(register.entries(), RegisterUnavailable);
  server.thaw();
});

t.test('a register that NATS has lost is created again by the next reader', async t => {
  const server = await NatsServer.of(t);
  const { connection, register } = await createRegister(t, server);
  const heard = Promise.withResolvers<Change>();
  await register.watch(change => {
    if (change.key === 'node.b') heard.resolve(change);
  });
  for (let i = 0; i < 10; i++) await register.create(`shard.${i}`, '');
  const [lost, loss] = [becomes(connection, false), server.kill()];
  await Promise.all([lost, loss]);
  await server.forget();
  await server.restart();
  await becomes(connection, true);
  t.strictSame(await register.entries(), []);
  // What happens before the watch has found the new bucket is missed, as the contract says.
  let watched = false;
  void heard.promise.then(() => (watched = true));
  while (!watched) {
    const revision = await register.create('node.b', '');
    await register.remove('node.b', revision ?? 0);
  }
  t.match(await heard.promise, { key: 'node.b' });
});

t.test('JetStream that is disabled is said at once, with what to do', async t => {
  const server = await NatsServer.of(t, { jetStream: false });
  const connection = await NatsConnection.open({ urls: [server.url], name: 'test', log: silentLog });
  t.teardown(() => connection.close());
  const opened = NatsRegister.open({ connection, cluster: 'test', log: silentLog });
  await t.rejects(opened, { name: 'NatsRefused', message: /without JetStream.*-js/ });
});

t.test('a bucket that would lose leases is refused', async t => {
  const server = await NatsServer.of(t);
  const connection = await NatsConnection.open({ urls: [server.url], name: 'test', log: silentLog });
  t.teardown(() => connection.close());
  const { views } = connection.client.jetstream();
  await views.kv('skein_expiring', { history: 1, ttl: 60_000 });
  await views.kv('skein_forgetful', { history: 1, storage: StorageType.Memory });
  for (const [cluster, why] of [
    ['expiring', /time-to-live/],
    ['forgetful', /in memory/],
  ] as const) {
    const opened = NatsRegister.open({ connection, cluster, log: silentLog });
    await t.rejects(opened, { name: 'NatsRefused', message: why });
  }
  const copies = NatsRegister.open({ connection, cluster: 'copies', log: silentLog, replicas: 3 });
  await t.rejects(copies, { name: 'NatsRefused', message: /3 replicas/ });
});

t.test(
  'where NATS is a cluster three servers keep the register, and it outlives the loss of one',
  async t => {
    const servers = await NatsServer.startCluster(t);
    const urls = servers.map(({ url }) => url);
    const connection = await NatsConnection.open({ urls, name: 'test', log: silentLog });
    t.teardown(() => connection.close());
    const open = async (cluster: string): Promise<{ register: NatsRegister; warnings: number }> => {
      const warned: unknown[] = [];
      const log = { ...silentLog, warn: (about: unknown, said: string) => void warned.push([about, said]) };
      const register = await NatsRegister.open({ connection, cluster, log });
      t.teardown(() => register.close());
      return { register, warnings: warned.filter(each => JSON.stringify(each).includes('too few')).length };
    };
    const { register, warnings } = await open('three');
    t.equal(warnings, 0);
    const manager = await connection.client.jetstreamManager();
    const info = await manager.streams.info(registerStream('three'));
    t.equal(info.config.num_replicas, 3);

    await connection.client.jetstream().views.kv('skein_one', { history: 1 });
    const one = await open('one');
    t.equal(one.warnings, 1, 'one that is there is left as it is, and told');
    const { config } = await manager.streams.info(registerStream('one'));
    await manager.streams.update(registerStream('one'), { ...config, num_replicas: 3 });
    await eventually('leader of the three', async () => {
      await one.register.create('node.a', '').catch(() => undefined);
      return (await one.register.entries().catch(() => [])).length === 1;
    });
    t.equal((await open('one')).warnings, 0);

    const before = await register.create('node.a', 'before');
    t.type(before, 'number');
    const leader = servers.find(({ port }) => info.cluster?.leader === `nats-${port}`);
    if (leader === undefined) throw new Error(`no server is the leader ${info.cluster?.leader}`);
    await leader.kill();
    await eventually('another leader', async () => {
      // An answer that is lost says nothing: what counts is what is read.
      await register.update('node.a', 'after', before ?? 0).catch(() => undefined);
      const entries = await register.entries().catch(() => []);
      return entries.some(({ key, value }) => key === 'node.a' && value === 'after');
    });
  },
);

t.test('a watcher that throws harms no other, nor itself', async t => {
  const server = await NatsServer.of(t);
  const { register } = await createRegister(t, server);
  const [bad, good] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await register.watch(({ key }) => {
    if (key === 'b') bad.resolve();
    throw new Error('a bad watcher');
  });
  await register.watch(({ key }) => {
    if (key === 'b') good.resolve();
  });
  await register.create('a', '');
  await register.create('b', '');
  await Promise.all([bad.promise, good.promise]);
});

t.test('markers of keys long gone are swept', async t => {
  const server = await NatsServer.of(t);
  const { connection, register } = await createRegister(t, server);
  for (let i = 0; i < 5; i++)
    await register.remove(`node.${i}`, (await register.create(`node.${i}`, '')) ?? 0);
  // Other changes, as heartbeats are.
  for (let i = 0; i < 12_000; i++) connection.client.publish('$KV.skein_test.node.live', `${i}`);
  await connection.flush();
  await createRegister(t, server);
  const manager = await connection.client.jetstreamManager();
  t.equal((await manager.streams.info('KV_skein_test')).state.messages, 1);
  t.match(await register.entries(), [{ key: 'node.live', value: '11999' }]);
  t.type(await register.create('node.1', 'again'), 'number');
});
