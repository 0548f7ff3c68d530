import { NoOwner } from '../../../runtime/actor/failures.ts';
import { setImmediate as atTurnEnd } from 'node:timers/promises';
import t from 'tap';
import { NatsConnection } from '../../../runtime/nats/connection.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { Counters } from '../../../runtime/observability/metrics.ts';
import { type Clock, systemClock } from '../../../runtime/time/clock.ts';
import { NatsTransport } from '../../../runtime/transport/nats.ts';
import type { Envelope, Transport } from '../../../runtime/transport/transport.ts';
import { natsNode, type NatsNode } from '../../support/nats-node.ts';
import { NatsServer } from '../../support/nats-server.ts';
import { transportConformance } from './transport.conformance.ts';

t.test('the conformance suite', async t => {
  const server = await NatsServer.of(t, { jetStream: false });
  let clusters = 0;
  transportConformance(t, async () => {
    const cluster = `test${clusters++}`;
    const connections = await Promise.all(
      ['one', 'two'].map(name => NatsConnection.open({ urls: [server.url], name, log: silentLog })),
    );
    const [one, two] = connections.map(
      connection =>
        new NatsTransport({
          connection,
          cluster,
          clock: systemClock,
          log: silentLog,
          counters: new Counters(),
        }),
    ) as [NatsTransport, NatsTransport];
    const settle = async (): Promise<void> => {
      await atTurnEnd();
      await Promise.all(connections.map(connection => connection.flush()));
    };
    return {
      one,
      two,
      settle,
      now: () => systemClock.monotonic(),
      close: async () => {
        await Promise.all([one.drain(), two.drain()]);
        await Promise.all(connections.map(connection => connection.close()));
      },
    };
  });
});

const createEnvelope = (payload: unknown = {}): Envelope => ({
  kind: 'thing',
  id: 'thing_1',
  command: 'do',
  payload,
  deadline: systemClock.monotonic() + 600_000,
});

/** What an ask was refused with. */
function getRefusal(asked: Promise<unknown>): Promise<unknown> {
  return asked.then(
    () => 'an answer',
    (error: unknown) => error,
  );
}

/** Tries again as the router does. */
async function untilOwned(transport: Transport, shard: number, envelope: Envelope): Promise<unknown> {
  for (;;) {
    try {
      return await transport.ask(shard, envelope);
    } catch (error) {
      if (!(error instanceof NoOwner)) throw error;
    }
  }
}

t.test('a lost connection', async t => {
  const server = await NatsServer.of(t, { jetStream: false });
  const [one, two] = await Promise.all([natsNode(t, server.url), natsNode(t, server.url)]);
  const heard: string[] = [];
  two.transport.subscribe('news.of/a b.*', message => heard.push(message));
  const begun = Promise.withResolvers<void>();
  const never = Promise.withResolvers<void>();
  t.teardown(() => never.resolve());
  await two.transport.serve(7, async ({ payload }) => {
    if (payload !== 'slow') return payload;
    begun.resolve();
    await never.promise;
  });
  const underway = getRefusal(one.transport.ask(7, createEnvelope('slow')));
  await begun.promise;

  await server.kill();
  t.match(
    await underway,
    { code: 'svc/runtime/unavailable', details: { reason: 'connection' } },
    'sent: unknown',
  );
  await Promise.all([one.becomes(false), two.becomes(false)]);
  await t.rejects(one.transport.ask(7, createEnvelope()), NoOwner, 'not sent: another try does no harm');
  one.transport.tell(7, createEnvelope());
  t.equal(one.counters.lostTells, 1);
  one.transport.publish('news.of/a b.*', 'lost');
  const taken = await two.transport.serve(8, async () => 'taken while away');
  const left = await two.transport.serve(9, async () => 'left while away');
  await left();

  await server.restart();
  await Promise.all([one.becomes(true), two.becomes(true)]);
  await two.connection.flush();
  t.equal(await one.transport.ask(7, createEnvelope('again')), 'again', 'subscriptions are restored');
  t.equal(await one.transport.ask(8, createEnvelope()), 'taken while away');
  await t.rejects(one.transport.ask(9, createEnvelope()), NoOwner);
  one.transport.publish('news.of/a b.*', 'heard');
  await atTurnEnd();
  await one.connection.flush();
  await two.connection.flush();
  t.strictSame(heard, ['heard'], 'what was said meanwhile is not said later');
  await taken();
});

t.test('messages that were not sent before the connection was lost are never sent', async t => {
  const server = await NatsServer.of(t, { jetStream: false });
  const turns: (() => void)[] = [];
  const [one, two] = await Promise.all([
    natsNode(t, server.url, { atTurnEnd: callback => turns.push(callback) }),
    natsNode(t, server.url),
  ]);
  const heard: unknown[] = [];
  await two.transport.serve(7, async ({ payload }) => heard.push(payload));
  const asked = getRefusal(one.transport.ask(7, createEnvelope('asked')));
  one.transport.tell(7, createEnvelope('told'));
  t.equal(turns.length, 1, 'they wait for the same end of a turn');

  await server.kill();
  await Promise.all([one.becomes(false), two.becomes(false)]);
  t.ok((await asked) instanceof NoOwner, 'another try does no harm');
  t.equal(one.counters.lostTells, 1);

  await server.restart();
  await Promise.all([one.becomes(true), two.becomes(true)]);
  for (const turn of turns.splice(0)) turn();
  await one.connection.flush();
  await two.connection.flush();
  const again = one.transport.ask(7, createEnvelope('again'));
  for (const turn of turns.splice(0)) turn();
  await again;
  t.strictSame(heard, ['again']);
});

t.test('a command or reply beyond what NATS takes is refused, and the connection lives', async t => {
  const server = await NatsServer.of(t, { jetStream: false });
  const [one, two] = await Promise.all([natsNode(t, server.url), natsNode(t, server.url)]);
  let away = 0;
  one.connection.onConnection(() => away++);
  two.connection.onConnection(() => away++);
  const large = 'x'.repeat(10 * 1_024 * 1_024);
  await two.transport.serve(7, async ({ payload }) => (payload === 'large, please' ? large : payload));
  t.match(await getRefusal(one.transport.ask(7, createEnvelope(large))), {
    code: 'svc/validation/invalid_request',
    http: 413,
    details: { reason: 'too_large' },
  });
  t.match(await getRefusal(one.transport.ask(7, createEnvelope('large, please'))), {
    code: 'svc/runtime/internal_error',
    details: { reason: 'too_large' },
  });
  one.transport.tell(7, createEnvelope(large));
  one.transport.publish('news', large);
  t.equal(one.counters.lostTells, 1);
  const fits = 'x'.repeat(one.connection.maxPayload - 2_000);
  t.equal(await one.transport.ask(7, createEnvelope(fits)), fits);
  t.equal(away, 0);
});

t.test('a storm of asks stays bounded, and what was taken is answered', async t => {
  const server = await NatsServer.of(t, { jetStream: false });
  const [one, two] = await Promise.all([natsNode(t, server.url), natsNode(t, server.url)]);
  const open = Promise.withResolvers<void>();
  let running = 0;
  let most = 0;
  await two.transport.serve(7, async ({ payload }) => {
    most = Math.max(most, ++running);
    await open.promise;
    running--;
    return payload;
  });
  let answered = 0;
  const refusals: unknown[] = [];
  const asks = Array.from({ length: 100_000 }, async (_, i) => {
    try {
      if ((await one.transport.ask(7, createEnvelope(i))) === i) answered++;
    } catch (error) {
      refusals.push(error);
    }
  });
  await one.connection.flush();
  open.resolve();
  await Promise.all(asks);
  t.equal(answered, 10_000);
  t.equal(refusals.length, 90_000);
  t.equal(one.counters.overloaded, 90_000);
  t.match(refusals[0], {
    code: 'svc/runtime/unavailable',
    details: { reason: 'overloaded' },
    retryAfterSeconds: 1,
  });
  t.ok(most <= 10_000);
  t.equal(await one.transport.ask(7, createEnvelope('after')), 'after');
});

t.test('a server that hangs does not fill the memory', async t => {
  const server = await NatsServer.of(t, { jetStream: false });
  const one = await natsNode(t, server.url);
  t.teardown(() => server.thaw());
  server.freeze();
  const news = 'x'.repeat(1_000_000);
  for (let i = 0; i < 200; i++) one.transport.publish('news', news);
  t.ok(one.connection.client.stats().outBytes < 70_000_000);
  t.match(await getRefusal(one.transport.ask(7, createEnvelope())), { details: { reason: 'overloaded' } });
  server.thaw();
  await one.connection.flush();
  await t.rejects(one.transport.ask(7, createEnvelope()), NoOwner, 'it goes on when the server does');
});

t.test('an ask that two nodes hear is done once', async t => {
  const server = await NatsServer.of(t, { jetStream: false });
  const [caller, zombie, owner] = (await Promise.all([1, 2, 3].map(() => natsNode(t, server.url)))) as [
    NatsNode,
    NatsNode,
    NatsNode,
  ];
  await zombie.transport.serve(7, () => Promise.reject(new NoOwner()));
  const commits: unknown[] = [];
  const commit = Promise.withResolvers<void>();
  await owner.transport.serve(7, async ({ payload }) => {
    commits.push(payload);
    await commit.promise;
    return `done ${String(payload)}`;
  });
  const envelope = createEnvelope('once');
  await t.rejects(caller.transport.ask(7, envelope), NoOwner, 'the zombie is faster');
  const again = caller.transport.ask(7, envelope);
  const flushed = Promise.all([caller.connection.flush(), owner.connection.flush()]);
  await t.rejects(again, NoOwner);
  await flushed;
  commit.resolve();
  t.equal(await untilOwned(caller.transport, 7, envelope), 'done once', 'the answer waits for the next try');
  t.strictSame(commits, ['once']);
});

t.test('an ask that its only hearer did not take is done at the next try', async t => {
  const server = await NatsServer.of(t, { jetStream: false });
  const [caller, owner] = await Promise.all([natsNode(t, server.url), natsNode(t, server.url)]);
  let owns = false;
  await owner.transport.serve(7, () => (owns ? Promise.resolve('done') : Promise.reject(new NoOwner())));
  const envelope = createEnvelope();
  await t.rejects(caller.transport.ask(7, envelope), NoOwner);
  owns = true;
  t.equal(await caller.transport.ask(7, envelope), 'done');
});

t.test('a deadline crosses as the time that is left: clocks have nothing in common', async t => {
  const server = await NatsServer.of(t, { jetStream: false });
  for (const apartMs of [-300_000, 300_000]) {
    const clock: Clock = { ...systemClock, monotonic: () => systemClock.monotonic() + apartMs };
    const [one, two] = await Promise.all([natsNode(t, server.url), natsNode(t, server.url, { clock })]);
    const left: number[] = [];
    const serve = async ({ deadline }: Envelope): Promise<unknown> => left.push(deadline - clock.monotonic());
    const release = await two.transport.serve(7, serve);
    await one.transport.ask(7, createEnvelope());
    t.ok(Math.abs((left[0] ?? 0) - 600_000) < 250_000, `${left[0]} ms left`);
    await release();
  }
});

t.test('what the wire shows without its text', async t => {
  const server = await NatsServer.of(t, { jetStream: false });
  const one = await natsNode(t, server.url);
  const seen = Promise.withResolvers<Record<string, string>>();
  one.connection.client.subscribe('skein.test.shard.7', {
    callback: (_, message) => {
      seen.resolve(
        Object.fromEntries([...(message.headers ?? [])].map(([name, values]) => [name, values.join()])),
      );
      message.respond('{"reply":1}');
    },
  });
  const envelope = { ...createEnvelope(), requestId: 'req_1', traceparent: '00-1-2-01' };
  await one.transport.ask(7, envelope);
  t.match(await seen.promise, {
    'Skein-Left': /^(5\d{5}|600000)$/,
    'Skein-Request-Id': 'req_1',
    traceparent: '00-1-2-01',
  });
  t.equal(
    await one.transport.ask(7, { ...envelope, requestId: 'ü\r\nX: 1' }),
    1,
    'what a header cannot hold stays out of it',
  );
});
