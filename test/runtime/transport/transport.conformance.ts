/** What runtime/transport/transport.ts promises, as tests for every transport: local here, NATS and simulated elsewhere. */
import { NoOwner } from '../../../runtime/actor/failures.ts';
import type { Test } from 'tap';
import { ServiceError } from '../../../protocol/errors.ts';
import type { DueReminder } from '../../../runtime/actor/store.ts';
import type { Envelope, Transport } from '../../../runtime/transport/transport.ts';

/** Two nodes of one cluster. */
export interface TransportHarness {
  readonly one: Transport;
  readonly two: Transport;
  /** The monotonic clock of both transports. */
  readonly now: () => number;
  /** Resolves when what the transports were told so far has taken effect everywhere. */
  readonly settle: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const minutes = 60_000;

/** A promise with its functions. */
function gate(): PromiseWithResolvers<void> {
  return Promise.withResolvers<void>();
}

export function transportConformance(t: Test, makeTransports: () => Promise<TransportHarness>): void {
  const test = (
    name: string,
    body: (t: Test, harness: TransportHarness, envelope: (payload?: unknown) => Envelope) => Promise<void>,
  ): void => {
    t.test(name, async t => {
      const harness = await makeTransports();
      t.teardown(() => harness.close());
      const envelope = (payload: unknown = {}): Envelope => ({
        kind: 'thing',
        id: 'thing_1',
        command: 'do',
        payload,
        deadline: harness.now() + 10 * minutes,
      });
      await body(t, harness, envelope);
    });
  };

  test('an ask of a shard that nobody owns fails at once', async (t, { one }, envelope) => {
    await t.rejects(one.ask(7, envelope()), NoOwner);
  });

  test('an ask reaches the owner of its shard, whole, and brings the reply', async (t, harness, envelope) => {
    const { one, two, settle } = harness;
    const seen: Envelope[] = [];
    await two.serve(7, async asked => {
      seen.push(asked);
      return { list: [1, 'ü', null], nested: { asked: asked.payload } };
    });
    await two.serve(8, async () => 'eight');
    await settle();
    const sent = { ...envelope({ text: 'ß😀', n: 1.5 }), requestId: 'req_1', traceparent: '00-1-2-01' };
    t.strictSame(await one.ask(7, sent), { list: [1, 'ü', null], nested: { asked: sent.payload } });
    const [{ deadline = 0, ...rest } = {}] = seen as Partial<Envelope>[];
    t.strictSame({ ...rest, deadline: sent.deadline }, sent);
    t.ok(Math.abs(deadline - sent.deadline) < 5 * minutes, `${deadline - sent.deadline} ms off`);
    t.equal(await one.ask(8, envelope()), 'eight');
    t.equal(await two.ask(8, envelope()), 'eight', 'the owner may ask itself');
  });

  test('a reply may be undefined', async (t, { one, two, settle }, envelope) => {
    await two.serve(7, () => Promise.resolve(undefined));
    await settle();
    t.equal(await one.ask(7, envelope()), undefined);
  });

  test('asks are answered concurrently, and begin in the order in which they were made', async (t, harness, envelope) => {
    const { one, two, settle } = harness;
    const begun: unknown[] = [];
    const gates = Array.from({ length: 50 }, gate);
    const all = gate();
    await two.serve(7, async ({ payload }) => {
      begun.push(payload);
      if (begun.length === 50) all.resolve();
      await gates[payload as number]?.promise;
      return payload;
    });
    await settle();
    const answered: unknown[] = [];
    const asks = gates.map(async (_, i) => answered.push(await one.ask(7, envelope(i))));
    await all.promise;
    t.strictSame(begun, [...gates.keys()]);
    for (let i = 49; i >= 0; i--) {
      gates[i]?.resolve();
      await asks[i];
    }
    t.strictSame(answered, [...gates.keys()].reverse());
  });

  test('a refusal crosses with everything that it says', async (t, { one, two, settle }, envelope) => {
    await two.serve(7, async () => {
      throw new ServiceError('svc/validation/invalid_request', {
        message: 'Too long.',
        details: { issues: [{ path: '/body/text' }] },
        http: 413,
        retryAfterSeconds: 7,
      });
    });
    await settle();
    const error: unknown = await one.ask(7, envelope()).catch((caught: unknown) => caught);
    t.ok(error instanceof ServiceError);
    const { code, message, details, http, retryAfterSeconds } = error as ServiceError;
    t.strictSame(
      { code, message, details, http, retryAfterSeconds },
      {
        code: 'svc/validation/invalid_request',
        message: 'Too long.',
        http: 413,
        retryAfterSeconds: 7,
        details: { issues: [{ path: '/body/text' }] },
      },
    );
  });

  test('any other failure crosses as an internal error, without its text', async (t, harness, envelope) => {
    const { one, two, settle } = harness;
    await two.serve(7, () => {
      throw new TypeError('secret');
    });
    await settle();
    const error = (await one.ask(7, envelope()).catch((caught: unknown) => caught)) as ServiceError;
    t.equal(error.code, 'svc/runtime/internal_error');
    t.notMatch(error.message, /secret/);
  });

  test('a handler that says NoOwner is heard as such', async (t, { one, two, settle }, envelope) => {
    await two.serve(7, () => Promise.reject(new NoOwner()));
    await settle();
    await t.rejects(one.ask(7, envelope()), NoOwner);
  });

  test('an ask that is not answered by its deadline fails', async (t, {
    one,
    two,
    now,
    settle,
  }, envelope) => {
    const never = gate();
    t.teardown(() => never.resolve());
    await two.serve(7, () => never.promise);
    await settle();
    const asked = one.ask(7, { ...envelope(), deadline: now() + 50 });
    await t.rejects(asked, { code: 'svc/runtime/unavailable' });
  });

  test('a shard that is given up has no owner, and what is in flight is answered', async (t, harness, envelope) => {
    const { one, two, settle } = harness;
    const [begun, finish] = [gate(), gate()];
    const release = await two.serve(7, async () => {
      begun.resolve();
      await finish.promise;
      return 'finished';
    });
    await settle();
    const asked = one.ask(7, envelope());
    await begun.promise;
    let released = false;
    const releasing = release().then(() => (released = true));
    await settle();
    await t.rejects(one.ask(7, envelope()), NoOwner);
    t.equal(released, false);
    finish.resolve();
    t.equal(await asked, 'finished');
    await releasing;
    await one.serve(7, async () => 'the new owner');
    await settle();
    t.equal(await two.ask(7, envelope()), 'the new owner');
  });

  test('a tell arrives, and never fails', async (t, { one, two, settle }, envelope) => {
    const heard: unknown[] = [];
    const all = gate();
    await two.serve(7, ({ payload, reminder }) => {
      heard.push(reminder ?? payload);
      if (heard.length === 3) all.resolve();
      return Promise.reject(new ServiceError('svc/runtime/conflict'));
    });
    await settle();
    const to = { kind: 'thing', id: 'thing_1' };
    const reminder: DueReminder = { key: 'k', at: 5, to, command: 'do', payload: 1, attempts: 0 };
    one.tell(7, envelope('first'));
    one.tell(9, envelope('to nobody'));
    one.tell(7, { ...envelope(), reminder });
    one.tell(7, envelope('third'));
    await all.promise;
    t.strictSame(heard, ['first', reminder, 'third']);
  });

  test('news reach every node in order, and only those that listen', async (t, { one, two, settle }) => {
    const heard: Record<string, string[]> = { one: [], two: [], other: [], left: [] };
    const all = gate();
    const hear = (who: string) => (message: string) => {
      heard[who]?.push(message);
      if (heard['one']?.length === 20 && heard['two']?.length === 20) all.resolve();
    };
    one.subscribe('news', hear('one'));
    two.subscribe('news', () => {
      throw new Error('a bad listener');
    });
    two.subscribe('news', hear('two'));
    two.subscribe('other', hear('other'));
    two.subscribe('news', hear('left'))();
    await settle();
    const messages = Array.from({ length: 20 }, (_, i) => `message ${i} ü`);
    for (const message of messages) one.publish('news', message);
    t.strictSame(heard['one'], [], 'never in the stack of the publisher');
    await all.promise;
    t.strictSame(heard, { one: messages, two: messages, other: [], left: [] });
  });

  test('a drain answers what is in flight, gives up every shard, and may be repeated', async (t, harness, envelope) => {
    const { one, two, settle } = harness;
    const [begun, finish] = [gate(), gate()];
    await two.serve(7, async () => {
      begun.resolve();
      await finish.promise;
      return 'finished';
    });
    await two.serve(8, async () => 'eight');
    await settle();
    const asked = one.ask(7, envelope());
    await begun.promise;
    const drains = [two.drain(), two.drain()];
    finish.resolve();
    t.equal(await asked, 'finished');
    await Promise.all(drains);
    await settle();
    await t.rejects(one.ask(8, envelope()), NoOwner);
    two.tell(8, envelope());
    two.publish('news', 'nobody hears');
    await t.rejects(two.ask(8, envelope()), 'nor does it ask any more');
    await two.drain();
  });
}
