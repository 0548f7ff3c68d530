/** Bounds, cancellation, loss and end of the pool. */
import t, { type Test } from 'tap';
import { PoolClosed, PoolOverloaded, type QueueLimits } from '../../../runtime/pool/outbound-queue.ts';
import type { PoolOptions } from '../../../runtime/pool/pool.ts';
import { WorkerLost } from '../../../runtime/pool/worker-channel.ts';
import { OneOwnerPool } from '../../support/one-owner-pool.ts';
import { Receiver, silence } from '../../support/receiver.ts';

async function poolFor(t: Test, options: PoolOptions & Partial<QueueLimits> = {}): Promise<OneOwnerPool> {
  const pool = new OneOwnerPool(options);
  t.teardown(() => pool.drain());
  await pool.ready();
  return pool;
}

async function receiverFor(t: Test): Promise<Receiver> {
  const receiver = await Receiver.start();
  t.teardown(() => receiver.stop());
  return receiver;
}

const get = (url: string) => ({ method: 'GET' as const, url, headers: {}, timeoutMs: 600_000 });

t.test('more than the limit is refused at once, and later there is room again', async t => {
  // Of 12 in flight one owner has 6, and one of its origins 3.
  const pool = await poolFor(t, { maxInFlight: 12, maxWaiting: 0 });
  const receiver = await receiverFor(t);
  const open: (() => void)[] = [];
  receiver.behaviour = (_request, response) => open.push(() => response.writeHead(204).end());
  const held = Array.from({ length: 3 }, () => pool.send(get(receiver.url())));
  await t.rejects(pool.send(get(receiver.url())), PoolOverloaded);
  t.equal(pool.stats.inFlight, 3);
  await receiver.arrived(3);
  for (const end of open) end();
  await Promise.all(held);
  receiver.behaviour = (_request, response) => void response.writeHead(204).end();
  t.match(await pool.send(get(receiver.url())), { status: 204 });
  t.equal(receiver.received.length, 4);
});

t.test('a cancelled request ends at once, and its worker lives on', async t => {
  const lost: Error[] = [];
  const pool = await poolFor(t, { onWorkerLost: error => lost.push(error) });
  const receiver = await receiverFor(t);
  receiver.behaviour = silence;
  const controller = new AbortController();
  const sent = pool.send(get(receiver.url()), controller.signal);
  await receiver.arrived(1);
  controller.abort(new Error('not wanted any more'));
  await t.rejects(sent, { message: 'not wanted any more' });
  t.equal(pool.stats.inFlight, 0);
  await t.rejects(pool.send(get(receiver.url()), AbortSignal.abort(new Error('never'))), {
    message: 'never',
  });
  receiver.behaviour = (_request, response) => void response.writeHead(204).end();
  t.match(await pool.send(get(receiver.url())), { status: 204 });
  t.strictSame(lost, []);
});

t.test('what is withdrawn is not sent while it waits, and goes on when it is in flight', async t => {
  // Of 4 in flight one owner has 2, and one of its origins 1.
  const pool = await poolFor(t, { maxInFlight: 4, maxWaiting: 8 });
  const receiver = await receiverFor(t);
  const open: (() => void)[] = [];
  receiver.behaviour = (_request, response) => open.push(() => response.writeHead(204).end());
  const withdrawal = new AbortController();
  const send = (withdrawn: AbortSignal) =>
    pool.queue.send(get(receiver.url()), 'owner', undefined, withdrawn);
  const sent = send(withdrawal.signal);
  const waiting = [send(withdrawal.signal), send(withdrawal.signal)];
  const other = send(new AbortController().signal);
  await receiver.arrived(1);
  withdrawal.abort(new Error('stopped'));
  for (const each of waiting) await t.rejects(each, { message: 'stopped' });
  await t.rejects(send(withdrawal.signal), { message: 'stopped' }, 'nor what comes then');
  open[0]?.();
  t.match(await sent, { status: 204 });
  await receiver.arrived(2);
  open[1]?.();
  t.match(await other, { status: 204 }, 'the place is free for others');
  t.equal(receiver.received.length, 2);
  t.strictSame(pool.queue.stats, { inFlight: 0, waiting: 0 });
});

t.test('a worker that dies is replaced; its requests in flight fail', async t => {
  let lost: (error: Error) => void = () => undefined;
  const death = new Promise<Error>(resolve => (lost = resolve));
  const pool = await poolFor(t, { onWorkerLost: error => lost(error) });
  const receiver = await receiverFor(t);
  receiver.behaviour = silence;
  const sent = pool.send(get(receiver.url()));
  await receiver.arrived(1);
  // No secrets at all: a defect of the caller, which no worker survives.
  const poison = pool.send({ ...get(receiver.url()), sign: {} } as never);
  await t.rejects(sent, WorkerLost);
  await t.rejects(poison, WorkerLost);
  t.type(await death, Error);
  t.equal(pool.stats.inFlight, 0);
  receiver.behaviour = (_request, response) => void response.writeHead(204).end();
  await pool.ready();
  t.match(await pool.send(get(receiver.url())), { status: 204 });
});

t.test('a drain finishes what is in flight and refuses the rest', async t => {
  const pool = await poolFor(t, { threads: 2 });
  const receiver = await receiverFor(t);
  const open: (() => void)[] = [];
  receiver.behaviour = (_request, response) => open.push(() => response.writeHead(204).end());
  const sent = Array.from({ length: 5 }, () => pool.send(get(receiver.url())));
  await receiver.arrived(5);
  const drained = pool.drain();
  await t.rejects(pool.send(get(receiver.url())), PoolClosed);
  for (const end of open) end();
  t.ok((await Promise.all(sent)).every(({ status }) => status === 204));
  await drained;
  await pool.drain();
  t.equal(pool.stats.workers, 0);
});

t.test('abandoned requests in flight fail, and the drain ends', async t => {
  const pool = await poolFor(t);
  const receiver = await receiverFor(t);
  receiver.behaviour = silence;
  const sent = Array.from({ length: 3 }, () => pool.send(get(receiver.url())));
  await receiver.arrived(3);
  const drained = pool.drain();
  pool.abandonAll();
  for (const request of sent) await t.rejects(request, WorkerLost);
  await drained;
  t.equal(pool.stats.inFlight, 0);
});

t.test(
  'a queue has connections of its own: what is stuck in one keeps no other from the same receiver',
  async t => {
    const pool = await poolFor(t);
    const tools = pool.openQueue({ maxInFlight: 8, maxWaiting: 0 });
    const files = pool.openQueue({ maxInFlight: 8, maxWaiting: 0 });
    const receiver = await receiverFor(t);
    receiver.behaviour = ({ path }, response) => {
      if (path !== '/stuck') response.writeHead(204).end();
    };
    const count = 512;
    const stuck = Array.from({ length: count }, (_, n) =>
      pool.queue.send(get(receiver.url('/stuck')), `owner ${n}`).catch((error: unknown) => error),
    );
    await receiver.arrived(count);
    t.equal(receiver.connections, count, 'all that one queue may have');
    for (const queue of [tools, files])
      t.match(await queue.send(get(receiver.url('/fine')), 'another'), { status: 204 });
    t.equal(pool.stats.inFlight, count);
    pool.abandonAll();
    for (const error of await Promise.all(stuck)) if (!(error instanceof WorkerLost)) throw error;
  },
);

t.test('a request that waits for its turn longer than it may take succeeds', async t => {
  // One owner has one request in flight at a time.
  const pool = await poolFor(t, { maxInFlight: 2, maxWaiting: 8 });
  const others = pool.openQueue({ maxInFlight: 8, maxWaiting: 0 });
  const receiver = await receiverFor(t);
  const open: (() => void)[] = [];
  receiver.behaviour = ({ path }, response) => {
    if (path === '/first') open.push(() => response.writeHead(204).end());
    else if (path !== '/silent') response.writeHead(204).end();
  };
  const first = pool.send(get(receiver.url('/first')));
  const at = 1_000_000;
  const second = pool.send({ ...get(receiver.url('/second')), timeoutMs: 5_000, at });
  await receiver.arrived(1);
  // The time of this one has passed: it is longer than that of the second.
  t.match(await others.send({ ...get(receiver.url('/silent')), timeoutMs: 5_500 }, 'other'), {
    failure: 'timeout',
  });
  t.notOk(receiver.received.some(({ path }) => path === '/second'));
  for (const end of open) end();
  t.match(await first, { status: 204 });
  const result = await second;
  t.match(result, { status: 204 });
  t.ok(result.at >= at + 5_000, 'its time begins when it is sent');
  t.ok(result.durationMs < 5_000);
});
