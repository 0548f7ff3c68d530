/** Deliveries from the committed row to the receiver and back, on a real PostgreSQL, over real sockets. */
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import t, { type Test } from 'tap';
import { deriveDeliveryId } from '../../../storage/deliveries/subscriptions.ts';
import { maxInFlight } from '../../../actors/stitch/window.ts';
import { newId } from '../../../protocol/ids.ts';
import type { WebhookDelivery } from '../../../protocol/resources/delivery.ts';
import { type Database, executeBound } from '../../../storage/database/database.ts';
import { deliveryPage } from '../../../storage/deliveries/delivery-log.ts';
import { startTestDatabase, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import {
  answer,
  hasValidSignature,
  hasValidStandardSignature,
  Receiver,
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
