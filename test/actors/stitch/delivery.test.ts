/** Deliveries from the committed row to the receiver and back, on a real PostgreSQL, over real sockets. */
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import t, { type Test } from 'tap';
import { deriveDeliveryId } from '../../../storage/deliveries/subscriptions.ts';
import { maxInFlight } from '../../../actors/stitch/window.ts';
import { newId } from '../../../protocol/ids.ts';
import type { WebhookDelivery } from '../../../protocol/resources/delivery.ts';
import type { Stitch } from '../../../protocol/resources/stitch.ts';
import { type Database, executeBound } from '../../../storage/database/database.ts';
import { deliveryPage } from '../../../storage/deliveries/delivery-log.ts';
import { StitchesBehind } from '../../../storage/deliveries/behind.ts';
import { FollowedLog } from '../../../storage/deliveries/followed-log.ts';
import { unfinishedStitches } from '../../../storage/deliveries/unfinished.ts';
import { startTestDatabase, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import {
  answer,
  hasValidSignature,
  hasValidStandardSignature,
  Receiver,
  silence,
  type Received,
} from '../../support/receiver.ts';
import { ShiftedClock, StitchNode, type StitchNodeOptions } from '../../support/stitch-node.ts';

let shared: TestDatabase;
t.before(async () => {
  shared = await startTestDatabase(t);
});

async function nodeFor(t: Test, options: StitchNodeOptions = {}): Promise<StitchNode> {
  const node = new StitchNode(shared.database, options);
  await node.start();
  t.teardown(() => node.stop());
  return node;
}

async function receiverFor(t: Test): Promise<Receiver> {
  const receiver = await Receiver.start();
  t.teardown(() => receiver.stop());
  return receiver;
}

const findIndex = ({ body }: Received): number => (JSON.parse(body) as { data: { i: number } }).data.i;
const many = (count: number, threads: number) =>
  Array.from({ length: count }, (_, i) => ({ threadId: `thread_${i % threads}`, data: { i } }));

interface Attempt {
  readonly number: number;
  readonly error_class: string | null;
  readonly response_status: number | null;
  readonly response_body: string | null;
  readonly next_attempt_at: Date | null;
}

function readAttempts(node: StitchNode, deliveryId: string): Promise<Attempt[]> {
  return node.database.query<Attempt>(
    'select * from webhook_attempts where delivery_id = $1 order by number',
    [deliveryId],
  );
}

async function selectEventDeliveries(node: StitchNode, stitchId: string): Promise<WebhookDelivery[]> {
  const { projectId, environmentId } = node;
  return deliveryPage(node.database, { projectId, environmentId, stitchId, limit: 1_000 }).then(
    ({ rows }) => [...rows],
  );
}

t.test('deliveries are signed, in order within each thread, many in flight, and recorded', async t => {
  const node = await nodeFor(t);
  const receiver = await receiverFor(t);
  let most = 0;
  const busy = new Set<string>();
  receiver.behaviour = (request, response) => {
    most = Math.max(most, request.atOnce);
    const { threadId } = (JSON.parse(request.body) as { data: { threadId: string } }).data;
    if (busy.has(threadId)) t.fail('two of one thread at once');
    busy.add(threadId);
    setImmediate(() => {
      busy.delete(threadId);
      response.writeHead(200, { 'content-type': 'text/plain' }).end('thanks\0');
    });
  };
  const { stitch, secret } = await node.createStitch({ webhookUrl: receiver.url('/hook?a=b') });
  const eventIds = await node.emit(many(600, 40));
  await node.until({ delivered: 600 });

  t.equal(receiver.received.length, 600);
  t.ok(most > 1 && most <= maxInFlight, `${most} at once`);
  const last = new Map<number, number>();
  for (const request of receiver.received) {
    const i = findIndex(request);
    if ((last.get(i % 40) ?? -1) > i) t.fail('out of order');
    last.set(i % 40, i);
    if (!hasValidSignature(request, secret)) t.fail('a bad signature');
    if (!hasValidStandardSignature(request, secret)) t.fail('a bad standard signature');
  }
  const [first] = receiver.received;
  const eventId = eventIds[0] ?? '';
  t.match(first, {
    path: '/hook?a=b',
    headers: {
      'content-type': 'application/json',
      'service-event-id': eventId,
      'service-delivery-id': deriveDeliveryId(eventId, stitch.stitchId),
      'service-attempt': '1',
      'webhook-id': eventId,
    },
  });
  const [event] = await node.database.query<{ body: string }>('select body from events where event_id = $1', [
    eventId,
  ]);
  t.equal(first?.body, event?.body, 'the exact bytes');
  t.match(await readAttempts(node, deriveDeliveryId(eventId, stitch.stitchId)), [
    { number: 1, error_class: null, response_status: 200, response_body: 'thanks\ufffd' },
  ]);
  t.match(
    (await selectEventDeliveries(node, stitch.stitchId)).find(row => row.eventId === eventId),
    {
      status: 'delivered',
      attemptCount: 1,
      responseStatus: 200,
      lastError: null,
      nextAttemptAt: null,
      trigger: 'scheduled',
    },
  );
});

t.test('a stitch gets only the events that it subscribes to', async t => {
  const node = await nodeFor(t);
  const receiver = await receiverFor(t);
  const webhookUrl = receiver.url();
  const { stitch: exact } = await node.createStitch({ webhookUrl, eventNames: ['channel.message.read'] });
  const { stitch: pattern } = await node.createStitch({ webhookUrl, eventNames: ['thread.message.*'] });
  const { stitch: all } = await node.createStitch({ webhookUrl });
  await node.emit([
    { eventName: 'thread.message.received' },
    { eventName: 'channel.message.read' },
    { eventName: 'thread.status.changed' },
  ]);
  await node.until({ delivered: 1 }, exact.stitchId);
  await node.until({ delivered: 1 }, pattern.stitchId);
  await node.until({ delivered: 3 }, all.stitchId);
  t.equal(receiver.received.length, 5);
});

t.test('a receiver that is down is tried again, in order, and the attempts say why', async t => {
  const clock = new ShiftedClock();
  const node = await nodeFor(t, { clock });
  const down = await Receiver.start();
  const { port } = down;
  await down.stop();
  const { stitch } = await node.createStitch({ webhookUrl: `http://127.0.0.1:${port}/` });
  const [eventId = ''] = await node.emit(many(3, 1));
  await node.until({ retrying: 1, pending: 2 });
  clock.shift(7_000);
  await node.until({ retrying: 1, pending: 2 });

  const receiver = await Receiver.start({ port });
  t.teardown(() => receiver.stop());
  clock.shift(40_000);
  await node.until({ delivered: 3 });
  t.strictSame(receiver.received.map(findIndex), [0, 1, 2]);
  const first = (await selectEventDeliveries(node, stitch.stitchId)).find(row => row.eventId === eventId);
  const attempts = await readAttempts(node, first?.deliveryId ?? '');
  t.ok(attempts.length >= 2);
  t.match(attempts[0], { number: 1, error_class: 'connect', response_status: null });
  t.ok(attempts[0]?.next_attempt_at instanceof Date);
  t.match(attempts.at(-1), { error_class: null, response_status: 204 });
  t.equal(attempts.length, first?.attemptCount);
  t.equal(receiver.received[0]?.headers['service-attempt'], String(attempts.length));
});

t.test('every kind of failure has its error class', async t => {
  const patient = await nodeFor(t, { attemptTimeoutMs: 600_000 });
  const hasty = await nodeFor(t, { attemptTimeoutMs: 300 });
  const failures = async (webhookUrl: string, node = patient): Promise<Attempt | undefined> => {
    const { stitch } = await node.createStitch({ webhookUrl });
    const [eventId = ''] = await node.emit([{ data: { i: 1 } }]);
    await node.until({ retrying: 1 }, stitch.stitchId);
    const attempts = await readAttempts(node, deriveDeliveryId(eventId, stitch.stitchId));
    await node.ask(stitch.stitchId, 'archive', {});
    return attempts[0];
  };
  const receiver = await receiverFor(t);
  const elsewhere = await receiverFor(t);
  receiver.behaviour = answer(302, { location: elsewhere.url() });
  t.match(await failures(receiver.url()), { error_class: 'http_status', response_status: 302 });
  t.equal(elsewhere.connections, 0, 'a redirect is not followed');
  receiver.behaviour = answer(500, {}, 'x'.repeat(20_000));
  const long = await failures(receiver.url());
  t.match(long, { error_class: 'http_status', response_status: 500 });
  t.equal(long?.response_body?.length, 16_384);
  receiver.behaviour = silence;
  t.match(await failures(receiver.url(), hasty), { error_class: 'timeout', response_status: null });
  const unread = await Receiver.start({ neverRead: true });
  t.teardown(() => unread.stop());
  t.match(await failures(unread.url(), hasty), { error_class: 'timeout' });
  t.match(await failures(unread.url().replace('http:', 'https:'), hasty), { error_class: 'timeout' });
  t.match(await failures(receiver.url().replace('http:', 'https:')), { error_class: 'tls' });
  t.match(await failures('http://10.0.0.1/'), { error_class: 'blocked_address', response_status: null });
  t.match(await failures('http://[::ffff:127.0.0.1]/'), { error_class: 'blocked_address' });
});

t.test('a secret that cannot be opened fails the attempt, and a new secret mends it', async t => {
  const clock = new ShiftedClock();
  const owner = { projectId: newId('project'), environmentId: newId('environment'), clock };
  const receiver = await receiverFor(t);
  const first = new StitchNode(shared.database, owner);
  await first.start();
  const { stitch } = await first.createStitch({ webhookUrl: receiver.url(), eventNames: ['thread.*'] });
  await first.stop();

  // Another key ring: the key that the secret was sealed with is lost.
  const node = await nodeFor(t, owner);
  const [eventId = ''] = await node.emit([{ data: { i: 1 } }]);
  await node.until({ retrying: 1 });
  const [attempt] = await readAttempts(node, deriveDeliveryId(eventId, stitch.stitchId));
  t.match(attempt, { error_class: 'unreadable_secret', response_status: null });
  t.equal(receiver.connections, 0, 'nothing is sent unsigned');

  const next = 'whsec_' + randomBytes(32).toString('base64');
  await node.ask(stitch.stitchId, 'rotateSecret', {
    jwe: await node.seal(stitch.stitchId, next),
    gracePeriodSeconds: 86_400,
  });
  clock.shift(400_000);
  await node.until({ delivered: 1 });
  t.ok(
    receiver.received.every(request => hasValidSignature({ ...request, at: clock.now() }, next)),
    'signed with the time of the node’s clock',
  );
});

t.test('production sends over https only', async t => {
  const node = await nodeFor(t);
  const receiver = await receiverFor(t);
  await node.createStitch({ webhookUrl: receiver.url(), environmentKind: 'production' });
  await node.emit([{ data: { i: 1 } }]);
  await node.until({ retrying: 1 });
  t.equal(receiver.connections, 0);
});

t.test('Retry-After is honoured', async t => {
  const node = await nodeFor(t);
  const receiver = await receiverFor(t);
  receiver.behaviour = answer(429, { 'retry-after': '9' });
  const { stitch } = await node.createStitch({ webhookUrl: receiver.url() });
  await node.emit([{ data: { i: 1 } }]);
  await node.until({ retrying: 1 });
  const [delivery] = await selectEventDeliveries(node, stitch.stitchId);
  const wait = Date.parse(delivery?.nextAttemptAt ?? '') - Date.parse(delivery?.lastAttemptAt ?? '');
  // Counted from the end of the attempt.
  t.ok(wait >= 9_000, `${wait} ms`);
});

t.test('410 disables the stitch, and other stitches hear of it', async t => {
  const node = await nodeFor(t);
  const receiver = await receiverFor(t);
  const watcher = await receiverFor(t);
  receiver.behaviour = answer(410);
  const { stitch } = await node.createStitch({
    webhookUrl: receiver.url(),
    eventNames: ['thread.*', 'stitch.*'],
  });
  await node.createStitch({ webhookUrl: watcher.url(), eventNames: ['stitch.*'] });
  await node.emit(many(200, 200));
  await watcher.arrived(1);
  t.match(JSON.parse(watcher.received[0]?.body ?? ''), {
    eventName: 'stitch.status.changed',
    data: { previousStatus: 'active', stitch: { stitchId: stitch.stitchId, status: 'disabled' } },
  });
  t.match(node.ownerNews, [{ stitch: { stitchId: stitch.stitchId, status: 'disabled' } }]);
  const counts = await (async () => {
    for (;;) {
      const now = await node.counts(stitch.stitchId);
      if (now['pending'] === undefined) return now;
    }
  })();
  t.equal((counts['failed'] ?? 0) + (counts['cancelled'] ?? 0), 200);
  t.ok((counts['cancelled'] ?? 0) >= 100, 'what waited is cancelled');
  await node.emit(many(5, 5));
  t.strictSame(await node.counts(stitch.stitchId), counts, 'and it gets no more');
});

/** Holds the key of a delivery that has no row, so that a commit that records it waits, until the returned function is called. */
async function holdKey(node: StitchNode, stitchId: string, eventId: string): Promise<() => Promise<void>> {
  let isHeld = (): void => undefined;
  let release = (): void => undefined;
  const held = new Promise<void>(resolve => (isHeld = resolve));
  const released = new Promise<void>(resolve => (release = resolve));
  const undone = new Error('rolled back');
  const holding = node.database
    .em()
    .transactional(async em => {
      await executeBound(
        em,
        `insert into webhook_deliveries (delivery_id, created_at, project_id, environment_id, stitch_id, event_id, event_seq, event_name,
           event_at, status, trigger, updated_at)
         select $1, occurred_at, project_id, environment_id, $2, event_id, seq, event_name, occurred_at, 'delivered', 'scheduled', now()
         from events where event_id = $3`,
        [deriveDeliveryId(eventId, stitchId), stitchId, eventId],
      );
      isHeld();
      await released;
      throw undone;
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error;
    });
  await Promise.race([held, holding]);
  return () => {
    release();
    return holding;
  };
}

t.test(
  'a retry that is answered and not recorded when its stitch is disabled is what was answered',
  async t => {
    const clock = new ShiftedClock();
    let cancelled = (): void => undefined;
    const cancelling = new Promise<void>(resolve => (cancelled = resolve));
    const database: Database = {
      ...shared.database,
      async query(text, values, name) {
        const rows = await shared.database.query(text, values, name);
        if (name === 'deliveries.cancel') cancelled();
        return rows as never;
      },
    };
    const node = new StitchNode(database, { clock });
    await node.start();
    t.teardown(() => node.stop());
    const receiver = await receiverFor(t);
    const { stitch } = await node.createStitch({ webhookUrl: receiver.url() });
    const { stitchId } = stitch;
    receiver.behaviour = answer(500);
    const [retried = ''] = await node.emit([{ threadId: 'thread_retried' }]);
    await node.until({ retrying: 1 });

    const out = new Map<string, ServerResponse>();
    receiver.behaviour = ({ headers }, response) => out.set(String(headers['service-event-id']), response);
    const [first = '', last = ''] = await node.emit([{ threadId: 'thread_1' }, { threadId: 'thread_2' }]);
    clock.shift(7_000);
    await receiver.arrived(4);
    // The commit that records the first waits, so that the two others are answered and wait for it, in one batch. In that the last waits again,
    // until the stitch has cancelled what was open.
    const releaseFirst = await holdKey(node, stitchId, first);
    const releaseLast = await holdKey(node, stitchId, last);
    out.get(first)?.writeHead(200).end();
    await eventually('the wait of a commit', async () => {
      const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      return (await shared.database.query(waiting)).length > 0;
    });
    for (const eventId of [retried, last]) out.get(eventId)?.writeHead(200).end();
    // Counted as they come, and not when they are recorded: none of them can be.
    await eventually('all answers', async () => {
      const metrics = await node.registry.metrics();
      return metrics.includes('skein_webhook_attempts_total{outcome="succeeded"} 3\n');
    });
    const disabled = node.ask(stitchId, 'update', { changes: { status: 'disabled' } });
    await releaseFirst();
    await disabled;
    await cancelling;
    await releaseLast();
    const deliveryId = deriveDeliveryId(retried, stitchId);
    await eventually('the last attempt', async () => (await readAttempts(node, deliveryId)).length === 2);
    t.match(await readAttempts(node, deliveryId), [{ response_status: 500 }, { response_status: 200 }]);
    t.strictSame(await node.counts(stitchId), { delivered: 3 });
  },
);

t.test('a slow receiver holds up its own stitch only', async t => {
  const node = await nodeFor(t, { attemptTimeoutMs: 600_000 });
  const slow = await receiverFor(t);
  const quick = await receiverFor(t);
  slow.behaviour = silence;
  const held = await Promise.all(
    Array.from({ length: 10 }, () => node.createStitch({ webhookUrl: slow.url() })),
  );
  const { stitch } = await node.createStitch({ webhookUrl: quick.url() });
  await node.emit(many(100, 100));
  await node.until({ delivered: 100 }, stitch.stitchId);
  t.strictSame(await node.counts(held[0]?.stitch.stitchId), { pending: 100 }, 'while all others wait');
  const out = await node.ask<string[]>(held[0]?.stitch.stitchId ?? '', 'underWay', {});
  t.equal(out.length, 20);
  for (const { stitch } of held) await node.ask(stitch.stitchId, 'archive', {});
});

/** Whether the recovery scanner of a node that starts finds the stitch. */
async function isFound(stitchId: string): Promise<boolean> {
  const { database } = shared;
  if ((await unfinishedStitches(database, 10_000)).includes(stitchId)) return true;
  for await (const page of new StitchesBehind(database, new FollowedLog(database)).find()) {
    if (page.includes(stitchId)) return true;
  }
  return false;
}

/** Resolves when the recovery scanner has nothing more to find of the stitch: the row says how far it is from one scan to the next. */
async function untilRest(node: StitchNode, stitchId: string): Promise<void> {
  while (await isFound(stitchId)) {
    await node.ask(stitchId, 'sweep', {});
  }
}

t.test('the next node finishes what a node left undone, and no two nodes send', async t => {
  const ring = `test:${randomBytes(32).toString('base64')}`;
  const owner = { projectId: newId('project'), environmentId: newId('environment'), secretKeys: ring };
  const receiver = await receiverFor(t);
  const first = new StitchNode(shared.database, owner);
  await first.start();
  const { stitch, secret } = await first.createStitch({ webhookUrl: receiver.url() });
  await first.emit(many(2_000, 300));
  await receiver.arrived(100);
  await first.stop();
  const { pending = 0, delivered = 0 } = await first.counts();
  t.ok(pending > 0 && delivered >= 100, `${delivered} delivered, ${pending} left`);
  t.equal(receiver.received.length, delivered, 'what was sent is written down');

  const second = await nodeFor(t, owner);
  t.ok(await isFound(stitch.stitchId));
  second.tell(stitch.stitchId, 'sweep', {});
  await second.until({ delivered: 2_000 });
  t.equal(receiver.received.length, 2_000);
  t.ok(receiver.received.every(request => hasValidSignature(request, secret)));
  await untilRest(second, stitch.stitchId);
});

t.test('a replay that was accepted is taken up by the next node', async t => {
  const ring = `test:${randomBytes(32).toString('base64')}`;
  const owner = { projectId: newId('project'), environmentId: newId('environment'), secretKeys: ring };
  const receiver = await receiverFor(t);
  const first = new StitchNode(shared.database, owner);
  await first.start();
  const { stitch } = await first.createStitch({ webhookUrl: receiver.url() });
  await first.emit(many(300, 30));
  await first.until({ delivered: 300 });
  await first.stop();
  // As a node leaves it that dies between the commit and its effects.
  const job = {
    id: '1',
    sourceStitchId: stitch.stitchId,
    since: stitch.createdAt,
    until: '9999-01-01T00:00:00.000Z',
    eventNames: [],
    statuses: [],
    after: null,
  };
  await shared.database.query(
    `update stitches set state = jsonb_set(state, '{replays}', $2::jsonb) where stitch_id = $1`,
    [stitch.stitchId, JSON.stringify([job])],
  );

  const second = await nodeFor(t, owner);
  t.ok((await unfinishedStitches(shared.database, 10_000)).includes(stitch.stitchId));
  t.ok(
    (await unfinishedStitches(shared.database, 1, `${stitch.stitchId.slice(0, -1)} `)).includes(
      stitch.stitchId,
    ),
  );
  second.tell(stitch.stitchId, 'sweep', {});
  await second.until({ delivered: 600 });
  await untilRest(second, stitch.stitchId);
});

t.test('a test event, one event again, and a span again, to another stitch', async t => {
  const node = await nodeFor(t);
  const receiver = await receiverFor(t);
  const other = await receiverFor(t);
  const since = new Date(Date.now() - 60_000).toISOString();
  const { stitch } = await node.createStitch({ webhookUrl: receiver.url() });
  const { stitch: target } = await node.createStitch({
    webhookUrl: other.url(),
    eventNames: ['stitch.test.ping'],
  });

  const tested = await node.ask<WebhookDelivery>(stitch.stitchId, 'test', {});
  await node.until({ delivered: 1 }, stitch.stitchId);
  t.match(await selectEventDeliveries(node, stitch.stitchId), [
    { deliveryId: tested.deliveryId, trigger: 'test' },
  ]);
  t.strictSame(await node.counts(target.stitchId), {}, 'to the tested stitch alone');

  await node.emit(many(450, 9));
  await node.until({ delivered: 451 }, stitch.stitchId);
  const original = receiver.received[1];
  const [row] = await node.database.query<{ seq: number; occurred_at: Date; event_id: string }>(
    'select * from events where event_id = $1',
    [original?.headers['service-event-id']],
  );
  const event = {
    eventId: row?.event_id,
    eventSeq: row?.seq,
    eventAt: row?.occurred_at.toISOString(),
    eventName: 'thread.message.received',
    threadId: 'thread_0',
  };
  const again = await node.ask<WebhookDelivery>(stitch.stitchId, 'replay', { event });
  await node.until({ delivered: 452 }, stitch.stitchId);
  const repeated = receiver.received.at(-1);
  t.equal(repeated?.headers['service-delivery-id'], again.deliveryId);
  t.equal(repeated?.body, original?.body, 'the same bytes');
  t.not(repeated?.headers['service-delivery-id'], original?.headers['service-delivery-id']);

  const span = { sourceStitchId: stitch.stitchId, since, until: new Date(Date.now() + 60_000).toISOString() };
  await node.ask(target.stitchId, 'replaySpan', {
    ...span,
    eventNames: ['thread.*'],
    statuses: ['delivered'],
  });
  await node.until({ delivered: 450 }, target.stitchId);
  t.equal(new Set(other.received.map(({ headers }) => headers['service-event-id'])).size, 450, 'each once');
  const last = new Map<number, number>();
  for (const request of other.received) {
    const i = findIndex(request);
    if ((last.get(i % 9) ?? -1) > i) t.fail('out of order');
    last.set(i % 9, i);
  }
});

t.test('two secrets sign while a rotation lasts', async t => {
  const node = await nodeFor(t);
  const receiver = await receiverFor(t);
  const { stitch, secret } = await node.createStitch({
    webhookUrl: receiver.url(),
    eventNames: ['thread.*'],
  });
  const next = 'whsec_' + randomBytes(32).toString('base64');
  const jwe = await node.seal(stitch.stitchId, next);
  const rotated = await node.ask<Stitch>(stitch.stitchId, 'rotateSecret', { jwe, gracePeriodSeconds: 60 });
  t.equal(rotated.stitchId, stitch.stitchId);
  await node.emit([{ data: { i: 1 } }]);
  await receiver.arrived(1);
  const [request] = receiver.received;
  t.ok(request !== undefined && hasValidSignature(request, secret) && hasValidSignature(request, next));
});
