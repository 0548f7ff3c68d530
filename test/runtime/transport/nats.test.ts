import { NoOwner } from '../../../runtime/actor/failures.ts';
import { setImmediate as atTurnEnd } from 'node:timers/promises';
import { headers } from 'nats';
import t from 'tap';
import { ServiceError } from '../../../protocol/errors.ts';
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
  const asks = Array.from({ length: 20_000 }, async (_, i) => {
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
  t.equal(refusals.length, 10_000);
  t.equal(one.counters.overloaded, 10_000);
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

/** The subjects of what the cluster sends from now on, without the names of inboxes. */
function overhear({ connection }: NatsNode): string[] {
  const subjects: string[] = [];
  connection.client.subscribe('skein.test.>', {
    callback: (_, { subject, data }) => {
      const [, , what = '', where = ''] = subject.split('.');
      if (data.length > 0) subjects.push(what === 'shard' ? `shard.${where}` : what);
    },
  });
  return subjects;
}

/** Resolves when what the caller has sent is answered, and overheard. */
async function untilAnswered(caller: NatsNode, owner: NatsNode, ear: NatsNode): Promise<void> {
  for (const { connection } of [caller, owner, owner, caller, ear]) {
    await atTurnEnd();
    await connection.flush();
  }
}

t.test(
  'asks of one turn to one node go as one message, whatever their shards, and so do the answers',
  async t => {
    const server = await NatsServer.of(t, { jetStream: false });
    const [caller, owner, other, ear] = (await Promise.all(
      [1, 2, 3, 4].map(() => natsNode(t, server.url)),
    )) as [NatsNode, NatsNode, NatsNode, NatsNode];
    const seen: unknown[] = [];
    const echo = async ({ payload }: Envelope): Promise<unknown> => {
      seen.push(payload);
      if (payload === 'refuse') throw new ServiceError('svc/runtime/idempotency_conflict', { message: 'no' });
      return payload;
    };
    for (const shard of [1, 2]) await owner.transport.serve(shard, echo);
    await other.transport.serve(3, async () => 'three');
    const subjects = overhear(ear);
    await ear.connection.flush();
    const { transport } = caller;
    for (const shard of [1, 2, 3]) await transport.ask(shard, createEnvelope());
    await ear.connection.flush();
    t.strictSame(subjects.splice(0), ['shard.1', 'answer', 'shard.2', 'answer', 'shard.3', 'answer']);

    seen.length = 0;
    // Replies that are texts travel unquoted where they can.
    const payloads = ['{"a":"ß😀"}', 'two\nlines', '=', '', '\ud800', null, 0, { deep: ['\n'] }, 'r\r\u2028'];
    const asks = payloads.map((payload, n) => transport.ask(1 + (n % 2), createEnvelope(payload)));
    const refused = getRefusal(transport.ask(1, createEnvelope('refuse')));
    const three = transport.ask(3, createEnvelope());
    t.strictSame(await Promise.all(asks), payloads);
    t.match(await refused, { code: 'svc/runtime/idempotency_conflict', message: 'no' });
    t.equal(await three, 'three');
    t.strictSame(seen, [...payloads, 'refuse'], 'in the order in which they were asked');
    await ear.connection.flush();
    t.strictSame(
      subjects.sort(),
      ['answer', 'answer', 'lines', 'lines'],
      'one there and one back for each node',
    );
  },
);

t.test('tells of one turn to one node go as one message with its asks, and in their order', async t => {
  const server = await NatsServer.of(t, { jetStream: false });
  const [caller, owner, ear] = (await Promise.all([1, 2, 3].map(() => natsNode(t, server.url)))) as [
    NatsNode,
    NatsNode,
    NatsNode,
  ];
  const seen: unknown[] = [];
  for (const shard of [1, 2]) await owner.transport.serve(shard, async ({ payload }) => seen.push(payload));
  const subjects = overhear(ear);
  await ear.connection.flush();
  const { transport } = caller;
  for (const shard of [1, 2]) await transport.ask(shard, createEnvelope('first'));
  await ear.connection.flush();
  subjects.length = 0;
  for (let n = 0; n < 10; n++) transport.tell(1 + (n % 2), createEnvelope(n));
  await transport.ask(1, createEnvelope('last'));
  t.strictSame(seen.slice(2), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 'last']);
  await ear.connection.flush();
  t.strictSame(subjects, ['lines', 'answer'], 'only the ask is answered');
});

t.test('a tell finds a shard that has moved, and the next one goes there at once', async t => {
  const server = await NatsServer.of(t, { jetStream: false });
  const [caller, first, second, ear] = (await Promise.all(
    [1, 2, 3, 4].map(() => natsNode(t, server.url)),
  )) as [NatsNode, NatsNode, NatsNode, NatsNode];
  const told: unknown[] = [];
  const arrivals: (() => void)[] = [];
  const arrived = (count: number): Promise<void> =>
    new Promise(resolve => {
      const look = (): void => (told.length >= count ? resolve() : void arrivals.push(look));
      look();
    });
  const take = async ({ payload }: Envelope): Promise<void> => {
    told.push(payload);
    for (const look of arrivals.splice(0)) look();
  };
  const leave = await first.transport.serve(7, async () => 'here');
  await caller.transport.ask(7, createEnvelope());
  await leave();
  await second.transport.serve(7, take);
  const subjects = overhear(ear);
  await ear.connection.flush();
  caller.transport.tell(7, createEnvelope('after the move'));
  await arrived(1);
  await Promise.all([first, caller, ear].map(({ connection }) => connection.flush()));
  t.strictSame(
    subjects.splice(0).sort(),
    ['answer', 'lines', 'shard.7'],
    'passed on by the node that had the shard',
  );
  caller.transport.tell(7, createEnvelope('by subscription'));
  await arrived(2);
  await untilAnswered(caller, second, ear);
  t.strictSame(subjects.splice(0), ['shard.7', 'answer'], 'its owner says where it takes lines');
  caller.transport.tell(7, createEnvelope('in a line'));
  await arrived(3);
  await ear.connection.flush();
  t.strictSame(subjects, ['lines']);
});

t.test('a shard that is only told learns lines, too', async t => {
  const server = await NatsServer.of(t, { jetStream: false });
  const [caller, owner, ear] = (await Promise.all([1, 2, 3].map(() => natsNode(t, server.url)))) as [
    NatsNode,
    NatsNode,
    NatsNode,
  ];
  const told: unknown[] = [];
  const last = Promise.withResolvers<void>();
  for (const shard of [1, 2]) {
    await owner.transport.serve(shard, async ({ payload }) => {
      told.push(payload);
      if (payload === 'last') last.resolve();
      if (payload === 'fails') throw new ServiceError('svc/runtime/conflict');
    });
  }
  const subjects = overhear(ear);
  await ear.connection.flush();
  for (const payload of ['fails', 'next']) caller.transport.tell(1, createEnvelope(payload));
  caller.transport.tell(2, createEnvelope('other'));
  await untilAnswered(caller, owner, ear);
  t.strictSame(
    subjects.splice(0).sort(),
    ['answer', 'answer', 'shard.1', 'shard.1', 'shard.2'],
    'each shard is asked once',
  );
  for (let n = 0; n < 6; n++) caller.transport.tell(1 + (n % 2), createEnvelope(n));
  caller.transport.tell(1, createEnvelope('last'));
  await last.promise;
  await ear.connection.flush();
  t.strictSame(subjects, ['lines']);
  t.strictSame(told, ['fails', 'next', 'other', 0, 1, 2, 3, 4, 5, 'last']);
});

t.test('a tell to a node that is gone is lost, and the next one finds the shard again', async t => {
  const server = await NatsServer.of(t, { jetStream: false });
  const [caller, first, second] = (await Promise.all([1, 2, 3].map(() => natsNode(t, server.url)))) as [
    NatsNode,
    NatsNode,
    NatsNode,
  ];
  await first.transport.serve(7, async () => 'here');
  await caller.transport.ask(7, createEnvelope());
  await first.transport.drain();
  caller.transport.tell(7, createEnvelope('nobody hears this'));
  await atTurnEnd();
  await caller.connection.flush();
  const found = Promise.withResolvers<unknown>();
  await second.transport.serve(7, async ({ payload }) => found.resolve(payload));
  caller.transport.tell(7, createEnvelope('found'));
  t.equal(await found.promise, 'found');
});

t.test(
  'a tell in a line is an ask for a node that knows no others, and its answer is not missed',
  async t => {
    const server = await NatsServer.of(t, { jetStream: false });
    const [caller, raw] = (await Promise.all([1, 2].map(() => natsNode(t, server.url)))) as [
      NatsNode,
      NatsNode,
    ];
    const linesTo = 'skein.test.lines.OLD';
    const answered = headers();
    answered.set('Skein-Lines-To', linesTo);
    const { client } = raw.connection;
    client.subscribe('skein.test.shard.7', {
      callback: (_, message) => void message.respond('{"reply":"old"}', { headers: answered }),
    });
    const lines = Promise.withResolvers<string[]>();
    client.subscribe(linesTo, {
      callback: (_, message) => {
        const got = message.string().split('\n');
        lines.resolve(got);
        const inbox = (message.reply ?? '').replace(/[^.]*$/, '');
        for (const line of got) client.publish(`${inbox}-`, `${line.split(' ')[1] ?? ''} =done`);
      },
    });
    await raw.connection.flush();
    t.equal(await caller.transport.ask(7, createEnvelope()), 'old');
    for (let n = 0; n < 2; n++) caller.transport.tell(7, createEnvelope(n));
    t.equal(await caller.transport.ask(7, createEnvelope()), 'done');
    const tokens = (await lines.promise).map(line => line.split(' ')[1]);
    t.equal(new Set(tokens).size, 3, 'each under a name of its own, or it would count as a repetition');
  },
);

t.test('a shard that has moved is found again, and its asks are done once', async t => {
  const server = await NatsServer.of(t, { jetStream: false });
  const [caller, first, second] = (await Promise.all([1, 2, 3].map(() => natsNode(t, server.url)))) as [
    NatsNode,
    NatsNode,
    NatsNode,
  ];
  const leave = await first.transport.serve(7, async () => 'first');
  await first.transport.serve(8, async () => 'stays');
  for (const shard of [7, 8, 7, 8]) await caller.transport.ask(shard, createEnvelope());
  await leave();
  const envelope = createEnvelope();
  await t.rejects(caller.transport.ask(7, envelope), NoOwner, 'it has no owner now');
  const done: unknown[] = [];
  await second.transport.serve(7, async ({ payload }) => done.push(payload));
  t.equal(await caller.transport.ask(7, envelope), 1);
  t.equal(await caller.transport.ask(7, createEnvelope()), 2);
  t.equal(await caller.transport.ask(8, createEnvelope()), 'stays');

  await second.transport.drain();
  await t.rejects(
    caller.transport.ask(7, createEnvelope()),
    NoOwner,
    'its node is gone: nobody got the message',
  );
  await first.transport.serve(7, async () => 'first again');
  t.equal(await caller.transport.ask(7, createEnvelope()), 'first again');
});

t.test('an owner that is stopped is forgotten with its shards', async t => {
  const server = await NatsServer.of(t, { jetStream: false });
  const [caller, stopped, successor] = (await Promise.all([1, 2, 3].map(() => natsNode(t, server.url)))) as [
    NatsNode,
    NatsNode,
    NatsNode,
  ];
  const never = Promise.withResolvers<void>();
  t.teardown(() => never.resolve());
  const begun = Promise.withResolvers<void>();
  await stopped.transport.serve(7, async ({ payload }) => {
    if (payload !== 'slow') return payload;
    begun.resolve();
    await never.promise;
  });
  await caller.transport.ask(7, createEnvelope());
  const underway = getRefusal(caller.transport.ask(7, createEnvelope('slow')));
  await begun.promise;
  await successor.transport.serve(7, async () => 'successor');
  caller.transport.failOrphanedAsks([7]);
  t.match(await underway, { details: { reason: 'connection' } }, 'its outcome is not known');
  const both = await caller.transport.ask(7, createEnvelope('both hear this'));
  t.ok(both === 'successor' || both === 'both hear this');
});

t.test('lines beyond what one message holds go in several', async t => {
  const server = await NatsServer.of(t, { jetStream: false });
  const [caller, owner] = await Promise.all([natsNode(t, server.url), natsNode(t, server.url)]);
  let away = 0;
  for (const { connection } of [caller, owner]) connection.onConnection(() => away++);
  await owner.transport.serve(7, async ({ payload }) => payload);
  await caller.transport.ask(7, createEnvelope());
  const texts = Array.from({ length: 9 }, (_, n) => String(n).repeat(300_000));
  const fits = 'x'.repeat(caller.connection.maxPayload - 2_000);
  const asked = [...texts, fits, 'ü'.repeat(400_000)];
  t.strictSame(await Promise.all(asked.map(text => caller.transport.ask(7, createEnvelope(text)))), asked);
  t.match(await getRefusal(caller.transport.ask(7, createEnvelope(`${fits}${fits}`))), { http: 413 });
  t.equal(away, 0);
});

t.test('a node of the release before answers and asks alone', async t => {
  const server = await NatsServer.of(t, { jetStream: false });
  const [node, raw, ear] = (await Promise.all([1, 2, 3].map(() => natsNode(t, server.url)))) as [
    NatsNode,
    NatsNode,
    NatsNode,
  ];
  raw.connection.client.subscribe('skein.test.shard.7', {
    callback: (_, message) => void message.respond('{"reply":"old"}'),
  });
  await node.transport.serve(8, async ({ payload }) => payload);
  await raw.connection.flush();
  const subjects = overhear(ear);
  await ear.connection.flush();
  for (let i = 0; i < 2; i++) t.equal(await node.transport.ask(7, createEnvelope()), 'old');
  const answer = await raw.connection.client.request(
    'skein.test.shard.8',
    JSON.stringify({ kind: 'thing', id: 'thing_1', command: 'do', payload: 'new', leftMs: 60_000 }),
  );
  t.equal(answer.string(), '{"reply":"new"}', 'in the form that it knows');
  await ear.connection.flush();
  t.notOk(subjects.includes('lines'));
});

t.test('whether anybody listens to a topic', async t => {
  const server = await NatsServer.of(t, { jetStream: false });
  const [one, two] = await Promise.all([natsNode(t, server.url), natsNode(t, server.url)]);
  t.equal(await one.transport.isHeard('news.a b'), false);
  const heard: string[] = [];
  const unsubscribe = two.transport.subscribe('news.a b', text => heard.push(text));
  await two.connection.flush();
  t.equal(await one.transport.isHeard('news.a b'), true);
  t.equal(await one.transport.isHeard('news'), false);
  await two.connection.flush();
  t.strictSame(heard, [], 'listeners notice nothing');
  unsubscribe();
  await two.connection.flush();
  t.equal(await one.transport.isHeard('news.a b'), false);
  await server.kill();
  await one.becomes(false);
  t.equal(await one.transport.isHeard('news.a b'), true, 'who can say');
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
