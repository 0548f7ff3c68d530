/** Two whole nodes over NATS: each tells of both, whoever is asked; and what is seen when one of them leaves. */
import t from 'tap';
import type { System } from '../../../protocol/resources/system.ts';
import { Client, Line } from '../../node/client.ts';
import { signUp } from '../../node/tenant.ts';
import { freshKey } from '../../support/accounts.ts';
import { startTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { NatsServer } from '../../support/nats-server.ts';
import { startSkeinOn } from '../../support/skein.ts';

const admin = 'ops@example.com';
/** Of eight shards, by the rendezvous of these names. */
const shares = { one: 5, two: 3 } as const;
const settled = Object.entries(shares).map(([nodeId, shards]) => [nodeId, 'settled', shards]);
const { url, database } = await startTestDatabase(t);
const nats = await NatsServer.of(t);
const shared = {
  NATS_URL: nats.url,
  SECRET_KEYS: freshKey(),
  TOKEN_KEYS: freshKey(),
  SHARDS: '8',
  INSTANCE_ADMINS: admin,
};
const start = (NODE_ID: string) => startSkeinOn(t, url, { ...shared, NODE_ID });
const nodes = await Promise.all([start('one'), start('two')]);
const lines = nodes.map(node => new Line(node.url, t));
const [first, second] = lines as [Line, Line];

const { accessToken } = await new Client(first).get<{ accessToken: string }>('signUp', {
  body: { email: admin, password: 'correct horse battery' },
});
const ask = (line: Line) => new Client(line, accessToken).ask('getSystem', {});
const read = async (line: Line): Promise<System> => (await ask(line)).body as System;
/** Of a machine that has other things to do they are true. */
const ofSlowMachines = ['SkeinCommitsSlow', 'SkeinNodeBusy', 'SkeinNodesCutOff', 'SkeinNotReady'];
const listOthers = ({ faults }: System) => faults.filter(({ name }) => !ofSlowMachines.includes(name));

t.test('whoever has not proven the address is told that there is nothing', async t => {
  t.match(await ask(first), { status: 404, body: { error: 'svc/runtime/not_found' } });
  const { person, key } = await signUp(first);
  t.match(await person.ask('getSystem', {}), { status: 404, body: { error: 'svc/runtime/not_found' } });
  t.match(await key.ask('getSystem', {}), { status: 401 });
  await database.query('update users set email_verified_at = now() where email = $1', [admin]);
  // What is known of a session is held for a second.
  await eventually('the address counts as verified', async () => (await ask(first)).status === 200);
});

t.test('each node tells of both, with the figures that both measure', async t => {
  for (const [index, line] of [first, second].entries()) {
    await eventually('both nodes have settled, and have their share', async () => {
      const { nodes } = await read(line);
      const seen = nodes.map(({ nodeId, state, report }) => [nodeId, state, report?.shards]);
      return JSON.stringify(seen) === JSON.stringify(settled);
    });
    const system = await read(line);
    t.equal(system.nodeId, ['one', 'two'][index]);
    t.strictSame(
      system.nodes.map(({ report }) => report?.status),
      ['ok', 'ok'],
    );
    t.strictSame(listOthers(system), []);
    t.match(system, {
      shards: { count: 8, vacant: 0 },
      nats: { connected: true },
      database: { version: /^\d+/ },
      deadLetters: { count: 0, newest: [] },
    });
    for (const { report } of system.nodes) {
      t.ok((report?.memoryBytes ?? 0) > 1_000_000);
      t.ok((report?.leasedMs ?? 0) > 0);
      t.ok(report?.pools.some(({ name }) => name === 'deliveries'));
    }
  }
});

t.test('work that a node gives up is shown by the other, and nothing of what was in it', async t => {
  await database.query(
    `insert into dead_letters (kind, actor_id, name, payload, error, attempts, created_at)
     values ('thread', 'thr_1', 'remind', '{"body":"secret words"}', 'secret words', 3, now())`,
  );
  // An answer is given for a second.
  await eventually('it is told', async () => (await read(second)).deadLetters.count > 0);
  const system = await read(second);
  t.match(system.deadLetters, { count: 1, newest: [{ kind: 'thread', actorId: 'thr_1', name: 'remind' }] });
  t.notMatch(JSON.stringify(system), /secret/);
});

t.test('a node that leaves hands its shards over, and is a member no more', async t => {
  await nodes[1]?.stop();
  await eventually('one owns them all', async () => {
    const { nodes: left } = await read(first);
    return left.length === 1 && left[0]?.report?.shards === 8;
  });
  const system = await read(first);
  // The newest of its moves: on a slow machine there may have been others, and it may have had more than its share.
  const [newest] = system.shards.moves.filter(({ fromNodeId }) => fromNodeId === 'two');
  t.match(newest, { cause: 'handover', toNodeId: 'one' });
  t.ok((newest?.shards ?? 0) > 0);
  t.strictSame(
    listOthers(system).filter(({ severity }) => severity === 'page'),
    [],
  );
});
