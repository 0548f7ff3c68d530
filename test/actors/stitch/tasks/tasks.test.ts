/** What carries a stitch's deliveries between its decisions, the pool and the database: limits and failures. */
import t from 'tap';
import type { AttemptResult, StitchCommands } from '../../../../actors/stitch/commands.ts';
import type { Released } from '../../../../actors/stitch/queue.ts';
import { BodyCache, SecretCache } from '../../../../actors/stitch/tasks/caches.ts';
import { DeliverySender } from '../../../../actors/stitch/tasks/sender.ts';
import type { StitchServices } from '../../../../actors/stitch/services.ts';
import { ResultReporter } from '../../../../actors/stitch/tasks/result-reporter.ts';
import { RetryPolicy } from '../../../../actors/base/retry-policy.ts';
import { internalError, unavailable } from '../../../../runtime/actor/failures.ts';
import { silentLog } from '../../../../runtime/observability/log.ts';
import { PoolOverloaded } from '../../../../runtime/pool/outbound-queue.ts';
import { WorkerLost } from '../../../../runtime/pool/worker-channel.ts';
import { keptMs } from '../../../../storage/events/log-tail.ts';
import { SealBroken } from '../../../../storage/secrets/vault.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const random = { next: () => 0.5, bytes: (size: number) => new Uint8Array(size) };
const self = { kind: 'stitch', id: 'stitch_1' };

function createPolicy(): { readonly clock: VirtualClock; readonly policy: RetryPolicy } {
  const clock = new VirtualClock();
  return { clock, policy: new RetryPolicy({ clock, random, log: silentLog }) };
}

function createResult(n: number): AttemptResult {
  return {
    delivery: {
      deliveryId: `whd_${n}`,
      createdAt: '',
      eventId: '',
      eventSeq: n,
      eventName: '',
      eventAt: '',
      threadId: null,
      trigger: 'scheduled',
      attempts: 0,
      firstAttemptAt: null,
      hasRow: false,
    },
    at: 0,
    durationMs: 1,
    status: 200,
    body: '',
    failure: null,
    error: null,
    jitter: 0,
  };
}

const createReleased = ({ delivery: { deliveryId, threadId, eventSeq } }: AttemptResult): Released => ({
  deliveryId,
  threadId,
  eventSeq,
  attempts: null,
  retryAt: null,
  holdUntil: null,
});

t.test('bodies that were read ahead are bounded, the oldest go first', async t => {
  const bodies = new BodyCache(10);
  bodies.put('a', '12345');
  bodies.put('b', '12345');
  bodies.put('c', '123');
  t.equal(bodies.take('a'), undefined);
  t.equal(bodies.size, 8);
  t.equal(bodies.take('b'), '12345');
  t.equal(bodies.take('b'), undefined, 'taken once');
  bodies.put('c', '1');
  t.equal(bodies.size, 1, 'put anew in its place');
  bodies.put('large', '12345678901');
  t.equal(bodies.take('large'), undefined, 'what does not fit is not kept');
  t.equal(bodies.size, 1, 'and pushes nothing out');
});

t.test('bodies that were read ahead a while ago are read again, since they may have been erased', async t => {
  let now = 0;
  const bodies = new BodyCache(10, { monotonic: () => now });
  bodies.put('a', '1');
  bodies.put('b', '1');
  now += keptMs - 1;
  t.equal(bodies.take('a'), '1');
  now++;
  t.equal(bodies.take('b'), undefined);
  t.equal(bodies.size, 0);
});

t.test('secrets are opened once, and only those that sign', async t => {
  const opened: string[] = [];
  const secrets = new SecretCache({
    open: (context, jwe) => {
      opened.push(`${context} ${jwe}`);
      return Promise.resolve(`open ${jwe}`);
    },
  });
  const sealed = [{ jwe: 'new' }, { jwe: 'old', until: 100 }];
  t.equal(secrets.known(sealed, 50), undefined);
  t.strictSame(await secrets.open('stitch_1', sealed, 50), ['open new', 'open old']);
  t.strictSame(opened, ['stitches/stitch_1/secret new', 'stitches/stitch_1/secret old']);
  t.strictSame(secrets.known(sealed, 50), ['open new', 'open old']);
  t.strictSame(secrets.known(sealed, 100), ['open new'], 'its grace has ended');
  await secrets.open('stitch_1', sealed, 50);
  t.equal(opened.length, 2);
});

t.test('a former secret that does not open is asked for once, while the new one signs', async t => {
  const opened: string[] = [];
  const broken = new SealBroken('stitches/stitch_1/secret', 'no key in the ring');
  const secrets = new SecretCache({
    open: (_, jwe) => {
      opened.push(jwe);
      return jwe === 'lost' ? Promise.reject(broken) : Promise.resolve(`open ${jwe}`);
    },
  });
  const lost = [{ jwe: 'lost' }];
  await t.rejects(secrets.open('stitch_1', lost, 50), broken);
  t.equal(secrets.known(lost, 50), undefined);
  await t.rejects(secrets.open('stitch_1', lost, 50), broken);
  t.strictSame(opened, ['lost', 'lost'], 'as long as nothing signs it is a fault each time');

  const rotated = [{ jwe: 'new' }, { jwe: 'lost', until: 100 }];
  t.strictSame(await secrets.open('stitch_1', rotated, 50), ['open new']);
  t.strictSame(secrets.known(rotated, 50), ['open new']);
  t.strictSame(await secrets.open('stitch_1', rotated, 50), ['open new']);
  t.strictSame(opened, ['lost', 'lost', 'new', 'lost']);
  t.equal(secrets.known(lost, 50), undefined, 'nothing is sent without a signature');
  await t.rejects(secrets.open('stitch_1', lost, 50), broken);
});

t.test('all results of a turn are one command', async t => {
  const asked: string[] = [];
  const { policy } = createPolicy();
  const reports = new ResultReporter(
    self,
    (_to, command, payload) => {
      if (command === 'progress') {
        const { answered, released } = payload as StitchCommands['progress']['payload'];
        asked.push(`progress ${answered.length} ${released.length}`);
        return Promise.resolve(null);
      }
      const { results } = payload as StitchCommands['settled']['payload'];
      asked.push(`settled ${results.length}`);
      return Promise.resolve(results.map(createReleased));
    },
    policy,
  );
  await Promise.all([1, 2, 3].map(n => reports.add(createResult(n))));
  t.strictSame(asked, ['progress 3 0', 'settled 3', 'progress 0 3']);
  t.equal(reports.open, 0);
});

t.test('a store that is away is waited for', async t => {
  const { clock, policy } = createPolicy();
  let tries = 0;
  const reports = new ResultReporter(
    self,
    (_to, command, payload) => {
      if (command === 'progress') return Promise.resolve(null);
      if (++tries < 5) return Promise.reject(unavailable('store'));
      return Promise.resolve((payload as StitchCommands['settled']['payload']).results.map(createReleased));
    },
    policy,
  );
  await clock.until(Promise.all([1, 2].map(n => reports.add(createResult(n)))));
  t.equal(tries, 5);
});

t.test('one result that cannot be written does not keep the others', async t => {
  const { clock, policy } = createPolicy();
  const written: string[] = [];
  let isBad = true;
  const reports = new ResultReporter(
    self,
    (_to, command, payload) => {
      if (command === 'progress') return Promise.resolve(null);
      const { results } = payload as StitchCommands['settled']['payload'];
      const ids = results.map(({ delivery }) => delivery.deliveryId);
      if (isBad && ids.includes('whd_2')) return Promise.reject(internalError());
      written.push(...ids);
      return Promise.resolve(results.map(createReleased));
    },
    policy,
  );
  const all = Promise.all([1, 2, 3].map(n => reports.add(createResult(n))));
  await clock.advance(60_000);
  t.strictSame(written, ['whd_1', 'whd_3']);
  isBad = false;
  await clock.until(all);
  t.strictSame(written, ['whd_1', 'whd_3', 'whd_2'], 'which is tried for as long as the node lives');
});

t.test(
  'what was answered and has no row yet is not sent again by an actor that was loaded again',
  async t => {
    const { clock, policy } = createPolicy();
    let sent = 0;
    const services = {
      db: { query: () => Promise.reject(new Error('everything was read ahead')) },
      pool: {
        send: () => {
          sent++;
          return Promise.resolve({ at: 0, durationMs: 1, status: 200, body: '' });
        },
      },
      archived: { has: () => false },
      clock,
      random,
      log: silentLog,
    } as unknown as StitchServices;
    const bodies = new BodyCache(1_000, clock);
    const secrets = new SecretCache({ open: () => Promise.resolve('secret') });
    const sender = new DeliverySender(services, bodies, secrets, policy);
    const settling = Promise.withResolvers<undefined>();
    const commit = Promise.withResolvers<readonly Released[]>();
    const context = {
      self,
      now: () => 0,
      ask: (_to: unknown, command: string): Promise<unknown> => {
        if (command !== 'settled') return Promise.resolve(null);
        settling.resolve(undefined);
        return commit.promise;
      },
    };
    const { delivery } = createResult(1);
    const batch = {
      url: 'http://localhost/',
      httpsOnly: false,
      projectId: 'prj_1',
      secrets: [{ jwe: 'jwe' }],
      deliveries: [delivery],
      stops: 0,
      provenHost: null,
    };
    const send = (): Promise<void> => {
      bodies.put(delivery.deliveryId, '{}');
      return sender.send(batch, context);
    };
    const first = send();
    await settling.promise;
    await send();
    t.equal(sent, 1, 'its result is on its way into the database');
    commit.resolve([createReleased(createResult(1))]);
    await first;
    t.equal(sender.inFlight, 0);
    await send();
    t.equal(sent, 2, 'a retry');
  },
);

/** A sender with the queue of a pool that never has room (`waits`), or does with each request as `out` says. */
function createSender(out: (n: number) => Promise<unknown> | 'waits') {
  const { clock, policy } = createPolicy();
  /** What the stitch was told, and which requests went out. */
  const told: string[] = [];
  let requests = 0;
  const send: StitchServices['pool']['send'] = async (_request, _owner, _signal, withdrawn) => {
    if (withdrawn?.aborted === true) throw withdrawn.reason;
    const found = out(++requests);
    if (found === 'waits') {
      return new Promise((_, reject) => {
        withdrawn?.addEventListener('abort', () => reject(withdrawn.reason as Error));
      });
    }
    await found;
    return { at: 0, durationMs: 1, status: 200, body: '' };
  };
  const services = {
    pool: { send },
    archived: { has: () => false },
    clock,
    random,
    log: silentLog,
  } as unknown as StitchServices;
  const bodies = new BodyCache(1_000, clock);
  const secrets = new SecretCache({ open: () => Promise.resolve('secret') });
  const sender = new DeliverySender(services, bodies, secrets, policy);
  const ask = (_to: unknown, command: string, payload: unknown): Promise<unknown> => {
    if (command === 'postpone') {
      told.push(`unsent ${(payload as { deliveryIds: readonly string[] }).deliveryIds.join()}`);
      return Promise.resolve(null);
    }
    if (command !== 'settled') return Promise.resolve(null);
    const { results } = payload as StitchCommands['settled']['payload'];
    told.push(...results.map(({ delivery, status }) => `${delivery.deliveryId} ${status}`));
    return Promise.resolve(results.map(createReleased));
  };
  const begin = (n: number, stops: number): Promise<void> => {
    const { delivery } = createResult(n);
    bodies.put(delivery.deliveryId, '{}');
    const batch = {
      url: 'http://localhost/',
      httpsOnly: false,
      projectId: 'prj_1',
      secrets: [{ jwe: 'jwe' }],
      provenHost: null,
    };
    return sender.send({ ...batch, deliveries: [delivery], stops }, { self, now: () => 0, ask });
  };
  return { clock, told, begin, stop: (stops: number) => sender.withdraw(self.id, stops) };
}

for (const order of ['before its worker is lost', 'after it']) {
  t.test(`what was perhaps sent is sent again, though the stitch is stopped ${order}`, async t => {
    const lost = Promise.withResolvers<undefined>();
    const { clock, told, begin, stop } = createSender(n => (n === 1 ? lost.promise : Promise.resolve()));
    const sent = begin(1, 0);
    await clock.flush();
    if (order.startsWith('before')) stop(1);
    lost.reject(new WorkerLost('the worker ended'));
    await clock.flush();
    if (order.startsWith('after')) stop(1);
    await clock.until(sent);
    t.strictSame(told, ['whd_1 200'], 'and its answer is recorded');
  });
}

t.test('what had no room in the queue is not sent when the stitch is stopped', async t => {
  const { clock, told, begin, stop } = createSender(() => Promise.reject(new PoolOverloaded('no room')));
  const sent = begin(1, 0);
  await clock.flush();
  stop(1);
  await clock.until(sent);
  t.strictSame(told, ['unsent whd_1']);
});

t.test('what waits here is not sent when the stitch was stopped elsewhere, and is back', async t => {
  const { clock, told, begin, stop } = createSender(() => 'waits');
  const first = begin(1, 0);
  await clock.flush();
  const second = begin(2, 1);
  await clock.until(first);
  t.strictSame(told, ['unsent whd_1']);
  await clock.until(begin(3, 0));
  t.strictSame(told.splice(0), ['unsent whd_1', 'unsent whd_3'], 'nor what begins late');
  stop(1);
  stop(0);
  await clock.flush();
  t.strictSame(told, [], 'an order of that stop, or of one before, has nothing to do with what came after');
  stop(2);
  await clock.until(second);
  t.strictSame(told, ['unsent whd_2']);
});
