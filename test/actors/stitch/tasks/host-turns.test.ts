/** Webhooks to public hosts: their rate, and the proof that ends it. */
import t from 'tap';
import fc from 'fast-check';
import type { SendBatch, StitchCommands } from '../../../../actors/stitch/commands.ts';
import { createQuotaKinds, type Grant, type Take } from '../../../../actors/quota/kind.ts';
import type { ActorRef } from '../../../../runtime/actor/actor.ts';
import type { StitchServices } from '../../../../actors/stitch/services.ts';
import { BodyCache, SecretCache } from '../../../../actors/stitch/tasks/caches.ts';
import { DeliverySender } from '../../../../actors/stitch/tasks/sender.ts';
import { RetryPolicy } from '../../../../actors/base/retry-policy.ts';
import { createHostRates } from '../../../../gateway/quota/host-rates.ts';
import { defaultRates } from '../../../../gateway/quota/rates.ts';
import { silentLog } from '../../../../runtime/observability/log.ts';
import { Metrics } from '../../../../runtime/observability/metrics.ts';
import type { OutboundRequest } from '../../../../runtime/outbound/request.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const random = { next: () => 0.5, bytes: (size: number) => new Uint8Array(size) };
const ping = '{"eventName":"stitch.test.ping"}';

/** Answers a request. `isGenuine`: the stitch's own secret signs it. */
type Answer = (isGenuine: boolean) => number;

/** A sender whose rates are those of a node, with the owner of the buckets beside it. */
function createSender(isVerified: (projectId: string) => boolean, answer: Answer = () => 200) {
  const clock = new VirtualClock();
  const policy = new RetryPolicy({ clock, random, log: silentLog });
  const [kind] = createQuotaKinds(60_000);
  const buckets = new Map<string, never>();
  const ask = (to: ActorRef, _command: string, take: Take): Promise<Grant> => {
    const state = buckets.get(to.id) ?? (null as never);
    const decision = kind?.decide.take(state, take, { now: clock.now(), id: to.id });
    buckets.set(to.id, decision?.state as never);
    return Promise.resolve(decision?.reply as Grant);
  };
  const sent: { readonly id: string; readonly at: number; readonly url: string }[] = [];
  const settled: StitchCommands['settled']['payload']['results'][number][] = [];
  const services = {
    pool: {
      send: ({ url, sign, headers }: OutboundRequest) => {
        const id = headers?.['Service-Delivery-Id'] ?? '';
        sent.push({ id, at: clock.now(), url });
        const status = answer(sign?.secrets[0] === 'secret');
        return Promise.resolve({ at: clock.now(), durationMs: 1, status, body: '' });
      },
    },
    archived: { has: () => false },
    hostRates: createHostRates({
      rates: defaultRates,
      node: { ask } as never,
      clock,
      random,
      metrics: new Metrics(),
      findAccount: projectId => ({ accountId: 'user_1', isVerified: isVerified(projectId) }),
    }),
    clock,
    random,
    log: silentLog,
  } as unknown as StitchServices;
  // Their age is no matter here.
  const bodies = new BodyCache(1_000_000, { monotonic: () => 0 });
  const secrets = new SecretCache({ open: () => Promise.resolve('secret') });
  const sender = new DeliverySender(services, bodies, secrets, policy);
  const context = {
    self: { kind: 'stitch', id: 'stitch_1' },
    now: () => clock.now(),
    ask: (_to: unknown, command: string, payload: unknown): Promise<unknown> => {
      if (command !== 'settled') return Promise.resolve(null);
      const { results } = payload as StitchCommands['settled']['payload'];
      settled.push(...results);
      return Promise.resolve([]);
    },
  };
  let made = 0;
  const send = (count: number, more: Partial<SendBatch> = {}, trigger = 'scheduled'): Promise<void> => {
    const deliveries = Array.from({ length: count }, () => {
      const deliveryId = `whd_${++made}`;
      bodies.put(deliveryId, ping);
      const times = { createdAt: '', eventAt: '', firstAttemptAt: null };
      const event = { eventId: 'evt_1', eventSeq: made, eventName: 'stitch.test.ping', threadId: null };
      return { ...times, ...event, deliveryId, trigger, attempts: 0, hasRow: false };
    }) as unknown as SendBatch['deliveries'];
    const batch = { projectId: 'prj_1', secrets: [{ jwe: 'jwe' }], stops: 0, provenHost: null };
    const url = 'https://receiver.example/hook';
    return sender.send({ ...batch, url, httpsOnly: true, deliveries, ...more }, context as never);
  };
  return { clock, sent, settled, send, sender };
}

t.test('an unverified account reaches a host once a second, and its first webhook at once', async t => {
  const { clock, sent, send } = createSender(() => false);
  // The host in other words, and another project of the same account.
  const all = Promise.all([
    send(10),
    send(5, { url: 'http://RECEIVER.example.:8080/other', projectId: 'prj_2' }),
    send(5, { provenHost: 'receiver.example' }),
  ]);
  await clock.flush();
  t.equal(sent.length, 5, 'the first at once');
  await clock.advance(10_000);
  t.ok(sent.length >= 14 && sent.length <= 16, `${sent.length} after 10 s`);
  await send(3, { url: 'http://127.0.0.1:9000/' });
  await send(3, { url: 'http://[::1]/' });
  t.equal(sent.filter(({ url }) => !/receiver/i.test(url)).length, 6, 'its own machine has no rate');
  await clock.until(all);
  t.equal(new Set(sent.map(({ id }) => id)).size, 26, 'nothing is dropped');
});

t.test('deliveries wait as the rate says, and each is sent once', async t => {
  await t.resolves(
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ count: fc.integer({ min: 1, max: 20 }), pause: fc.nat(2_000) }), {
          maxLength: 12,
        }),
        fc.boolean(),
        async (batches, isVerified) => {
          const { clock, sent, send } = createSender(() => isVerified);
          const sending: Promise<void>[] = [];
          for (const { count, pause } of batches) {
            sending.push(send(count));
            await clock.advance(pause);
          }
          await clock.until(Promise.all(sending), 600_000);
          const made = batches.reduce((sum, { count }) => sum + count, 0);
          const ids = new Set(sent.map(({ id }) => id));
          if (ids.size !== made || sent.length !== made) throw new Error(`sent ${sent.length} of ${made}`);
          const { limit, windowMs } = defaultRates[isVerified ? 'webhooks' : 'webhooksUnverified'];
          for (const [index, { at }] of sent.entries()) {
            const later = sent[index + 2 * limit];
            if (later !== undefined && later.at - at < windowMs) throw new Error('above the rate');
          }
        },
      ),
      { numRuns: 30 },
    ),
  );
});

t.test(
  'a host proves that it wants more by refusing a wrong signature and accepting a test event',
  async t => {
    for (const [answer, proves] of [
      [(isGenuine: boolean) => (isGenuine ? 204 : 401), true],
      [() => 200, false],
      [(isGenuine: boolean) => (isGenuine ? 200 : 429), false],
      [(isGenuine: boolean) => (isGenuine ? 200 : 503), false],
      [() => 404, false],
    ] as const) {
      const { clock, settled, send, sent } = createSender(() => true, answer);
      await clock.until(send(1, {}, 'test'));
      t.equal(sent.length, 2);
      t.equal(settled[0]?.provenHost, proves ? 'receiver.example' : undefined, String(answer));
      sent.length = 0;
      void send(200, { provenHost: settled[0]?.provenHost ?? null });
      await clock.flush();
      t.equal(sent.length >= 200, proves, 'then there is no rate');
    }
    const { clock, sent, send } = createSender(
      () => false,
      isGenuine => (isGenuine ? 204 : 401),
    );
    await clock.until(send(1, {}, 'test'));
    t.equal(sent.length, 1, 'an unverified account proves nothing');
  },
);

t.test('a stitch that is stopped takes back what waits, and a node that drains leaves it', async t => {
  const { clock, sent, send, sender } = createSender(() => false);
  const stopped = send(20);
  await clock.flush();
  sender.withdraw('stitch_1', 1);
  await stopped;
  t.equal(sent.length, 5);
  t.equal(sender.inFlight, 0);
  const left = send(20, { stops: 1 });
  await clock.flush();
  sender.drain();
  await left;
  t.equal(sent.length, 5);
});
