/** Subscriptions of internal services: on a log in memory and time by hand what is rare, on a whole node what is real. */
import { credentials, loadPackageDefinition, status as codes } from '@grpc/grpc-js';
import t, { type Test } from 'tap';
import { Proxy } from '../../support/proxy.ts';
import { ServiceTokens } from '../../../gateway/auth/service-tokens.ts';
import { Gate } from '../../../gateway/grpc/gate.ts';
import { GrpcHealth } from '../../../gateway/grpc/health.ts';
import { GrpcMetrics } from '../../../gateway/grpc/metrics.ts';
import { GrpcServer } from '../../../gateway/grpc/server.ts';
import { ConsoleStream } from '../../../gateway/stream/endpoint.ts';
import { contract } from '../../../gateway/grpc/definition.ts';
import type { ProtoGrpcType } from '../../../protocol/gen/internal.ts';
import type { ConversationsClient } from '../../../protocol/gen/skein/internal/v1/Conversations.ts';
import { SoleOwner } from '../../../runtime/placement/owners.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import { systemClock } from '../../../runtime/time/clock.ts';
import { shareSkein } from '../../support/skein.ts';
import { answer, connect, getAddress, inbound, token } from './grpc-fixture.ts';
import { Subscriber } from './subscriber.ts';
import {
  admission,
  ManualClock,
  MemoryEvents,
  numbers,
  projectId,
  sandbox,
  createSurroundings,
} from '../stream/stream-fixture.ts';

interface SmallNode {
  readonly events: MemoryEvents;
  readonly clock: ManualClock;
  readonly stream: ConsoleStream;
  readonly server: GrpcServer;
  readonly client: ConversationsClient;
}

/** The real server, hub and catch-up over a log in memory; nothing else of a node. */
async function smallNode(t: Test): Promise<SmallNode> {
  const events = new MemoryEvents();
  const clock = new ManualClock();
  const metrics = new GrpcMetrics(new Metrics().registry);
  const stream = new ConsoleStream({
    events,
    clock,
    log: silentLog,
    docsUrl: 'http://docs.test',
    admit: async () => admission(),
    publish: () => undefined,
    findRevokedCredentials: async () => new Set<string>(),
    ...createSurroundings(),
  });
  const none = (): Promise<never> => Promise.reject(new Error('not served here'));
  const server = new GrpcServer({
    gate: new Gate({
      metrics,
      clock,
      log: silentLog,
      tokens: new ServiceTokens([{ name: 'billing', token }]),
    }),
    conversations: { ingest: none, send: none, thread: none },
    authority: {
      requireProject: async () => undefined,
      scope: async (_, projectId = '', environmentId = '') => ({
        projectId,
        environmentId,
        environmentKind: 'sandbox',
        role: 'service',
      }),
    },
    health: new GrpcHealth({ ready: async () => true, clock }),
    streams: stream.context,
    owners: new SoleOwner('node', undefined, 256),
    metrics,
    log: silentLog,
    tls: undefined,
    clock: systemClock,
  });
  const port = await server.listen('127.0.0.1', 0);
  await server.open();
  const { Conversations } = (loadPackageDefinition(contract) as unknown as ProtoGrpcType).skein.internal.v1;
  const client = new Conversations(`127.0.0.1:${port}`, credentials.createInsecure());
  t.teardown(async () => {
    client.close();
    stream.shutDown();
    await server.close(1_000);
  });
  return { events, clock, stream, server, client };
}

t.test('from now on, from the beginning, from the middle', async t => {
  const { events, stream, client } = await smallNode(t);
  events.appendMany(450);
  const now = new Subscriber(client, { projectId });
  t.match(await now.begun(), { resumed: { cursor: { epoch: 'first', seq: '450' } } });
  const all = new Subscriber(client, { projectId, cursor: { epoch: 'first', seq: 0 } });
  const half = new Subscriber(client, { projectId, cursor: { epoch: 'first', seq: 225 } });
  t.same(await all.through(450), numbers(450));
  stream.context.hub.onEvents(events.appendMany(3));
  t.same(await now.through(453), [451, 452, 453]);
  t.same(await all.through(453), numbers(453));
  t.same(await half.through(453), numbers(453, 226));
  t.match(all.frames[0], { frame: 'resumed', resumed: { cursor: { epoch: 'first', seq: '0' } } });
  t.match(all.frames.at(-1)?.event, {
    eventName: 'thread.message.received',
    envelopeJson: events.rows[452]?.body,
  });
});

t.test(
  'a cursor that cannot be resumed from is answered with a reset, and events go on after it',
  async t => {
    const { events, clock, stream, client } = await smallNode(t);
    events.occurredAt = new Date(clock.now() - 2 * 86_400_000);
    events.appendMany(10);
    const cases = [
      [{ epoch: 'other', seq: 5 }, 'REASON_EPOCH'],
      [{ epoch: '', seq: 5 }, 'REASON_EPOCH'],
      [{ epoch: 'first', seq: 5 }, 'REASON_EXPIRED'],
      [{ epoch: 'first', seq: 99 }, 'REASON_AHEAD'],
    ] as const;
    const subscribers = cases.map(([cursor]) => new Subscriber(client, { projectId, cursor }));
    for (const [index, subscriber] of subscribers.entries()) {
      t.match(await subscriber.begun(), {
        reset: { cursor: { epoch: 'first', seq: '10' }, reason: cases[index]?.[1] },
      });
    }
    events.occurredAt = new Date(clock.now());
    stream.context.hub.onEvents(events.appendMany(1));
    for (const subscriber of subscribers) t.same(await subscriber.through(11), [11]);
  },
);

t.test('a heartbeat says how far everything has been sent', async t => {
  const { events, clock, client } = await smallNode(t);
  events.appendMany(7);
  const subscriber = new Subscriber(client, { projectId });
  await subscriber.begun();
  await clock.advance(26_000);
  await subscriber.until(({ frames }) => frames.length > 1);
  t.match(subscriber.frames[1], { frame: 'heartbeat', heartbeat: { seq: '7' } });
});

t.test('a subscriber that reads too slowly is ended, and can resume', async t => {
  const { events, stream, client } = await smallNode(t);
  const slow = new Subscriber(client, { projectId, cursor: { epoch: 'first', seq: 0 } });
  const quick = new Subscriber(client, { projectId, cursor: { epoch: 'first', seq: 0 } });
  await Promise.all([slow.begun(), quick.begun()]);
  slow.call.pause();
  const text = 'x'.repeat(100_000);
  const total = 200;
  for (let n = 1; n <= total; n++) {
    stream.context.hub.onEvents([events.append(sandbox, text)]);
    await quick.through(n);
  }
  t.same(quick.seqs, numbers(total), 'the others are not held up');
  slow.call.resume();
  t.match(await slow.end(), { code: codes.RESOURCE_EXHAUSTED, info: { metadata: { reason: 'too_slow' } } });
  const seen = slow.seqs;
  t.ok(seen.length < total);
  t.same(seen, numbers(seen.length));
  const again = new Subscriber(client, { projectId, cursor: slow.cursor });
  t.same(await again.through(total), numbers(total, seen.length + 1));
});

t.test('a node that stops sends its subscribers to another', async t => {
  const { stream, server, client } = await smallNode(t);
  const subscriber = new Subscriber(client, { projectId });
  await subscriber.begun();
  stream.shutDown();
  t.match(await subscriber.end(), { code: codes.UNAVAILABLE, info: { reason: 'svc/runtime/unavailable' } });
  await server.close(1_000);
});

t.test('invalid subscriptions', async t => {
  const { client } = await smallNode(t);
  const refused = async (subscriber: Subscriber, code: codes): Promise<void> => {
    t.equal((await subscriber.end())?.code, code);
  };
  await refused(new Subscriber(client, { projectId: 'none' }), codes.INVALID_ARGUMENT);
  await refused(new Subscriber(client, { projectId, environmentId: 'none' }), codes.INVALID_ARGUMENT);
  await refused(new Subscriber(client, { projectId }, 'wrong'), codes.UNAUTHENTICATED);
});

t.test('a subscription that is cut again and again misses nothing and sees nothing twice', async t => {
  const skein = await shareSkein(t);
  const tenant = await skein.tenant();
  const { projectId, environmentId } = tenant;
  const client = connect(t, getAddress(skein));
  const proxy = new Proxy({ host: '127.0.0.1', port: Number(skein.grpcPort) });
  const port = await proxy.listen();
  t.teardown(() => proxy.leave());
  const subscribe = (cursor: Subscriber['cursor'] | undefined): Subscriber =>
    new Subscriber(connect(t, `127.0.0.1:${port}`), {
      projectId,
      environmentId,
      ...(cursor === undefined ? {} : { cursor }),
    });
  const [head] = await skein.database.query<{ seq: number; epoch: string }>(
    'select last_seq::int as seq, epoch from project_streams where project_id = $1',
    [projectId],
  );
  const { epoch = '', seq: from = 0 } = head ?? {};
  let subscriber = subscribe({ epoch, seq: from });
  await subscriber.begun();
  const seen: number[] = [];
  const messages = 120;
  const writing = (async () => {
    for (let n = 0; n < messages; n++) {
      await answer((metadata, options, done) =>
        client.ingestMessage(inbound(tenant, `event-${n}`), metadata, options, done),
      );
      if (n % 30 === 15) proxy.cut();
    }
  })();
  // The first message creates its thread: one event more.
  const last = from + messages + 1;
  let cuts = 0;
  for (;;) {
    await subscriber.through(last);
    seen.push(...subscriber.seqs);
    if (seen.at(-1) === last) break;
    cuts++;
    t.equal(subscriber.failure?.code, codes.UNAVAILABLE);
    subscriber = subscribe(subscriber.cursor);
  }
  await writing;
  t.ok(cuts >= 2, `${cuts} cuts`);
  t.same(seen, numbers(last, from + 1));
});
