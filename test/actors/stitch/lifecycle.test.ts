/** Changes, secrets, tests and replays of a stitch. */
import t, { type Test } from 'tap';
import { deriveDeliveryId } from '../../../storage/deliveries/subscriptions.ts';
import { ServiceError } from '../../../protocol/errors.ts';
import { newId } from '../../../protocol/ids.ts';
import type { Stitch } from '../../../protocol/resources/stitch.ts';
import type { WebhookDelivery } from '../../../protocol/resources/delivery.ts';
import { down, error, gone, ok, StitchHarness, tenancy } from './stitch-harness.ts';

const author = { type: 'user', id: newId('user') } as const;
const hour = 3_600_000;

function refuses(t: Test, work: () => unknown, code: string): void {
  try {
    work();
    t.fail(`not refused with ${code}`);
  } catch (error) {
    t.equal(error instanceof ServiceError && error.code, code);
  }
}

t.test('another tenant sees nothing', async t => {
  const stitch = new StitchHarness();
  const other = { projectId: newId('project'), environmentId: tenancy.environmentId };
  const elsewhere = { projectId: tenancy.projectId, environmentId: newId('environment') };
  for (const who of [other, elsewhere]) {
    refuses(t, () => stitch.do('update', { ...who, author, changes: {} }), 'svc/runtime/not_found');
    refuses(t, () => stitch.do('archive', who), 'svc/runtime/not_found');
    refuses(t, () => stitch.do('test', { ...who, author }), 'svc/runtime/not_found');
    refuses(t, () => stitch.do('underWay', who), 'svc/runtime/not_found');
  }
});

t.test('PATCH changes what it names, and only a change is one', async t => {
  const stitch = new StitchHarness();
  const { updatedAt } = stitch.state;
  stitch.now += 1_000;
  stitch.update({ name: 'A stitch' });
  t.equal(stitch.commits.length, 0, 'the same name is no change');
  t.equal(stitch.state.updatedAt, updatedAt);
  stitch.update({ name: 'Another', eventNames: ['thread.*'], metadata: { a: 1 } });
  stitch.acknowledge();
  t.match(stitch.committed, {
    name: 'Another',
    eventNames: ['thread.*'],
    metadata: { a: 1 },
    status: 'active',
  });
  t.equal(stitch.events.length, 0);
  stitch.update({ status: 'disabled' });
  stitch.acknowledge();
  t.match(JSON.parse(stitch.events[0]?.body ?? '{}'), {
    eventName: 'stitch.status.changed',
    data: { previousStatus: 'active', actor: { type: 'user' } },
  });
});

t.test('what was answered and not decided when the stitch was disabled ends as the answer said', t => {
  const stitch = new StitchHarness();
  stitch.emit(['thread_1', 'thread_2', 'thread_3']);
  stitch.pass(0, () => error);
  stitch.pass(6_500);
  t.equal(stitch.out.length, 3, 'they are tried again');
  const [answered] = stitch.out.splice(0, 1);
  if (answered === undefined) throw new Error('nothing is out');
  const { delivery, at } = answered;
  stitch.do('progress', { answered: [delivery.deliveryId], released: [] });
  // This one is decided, and its commit is under way.
  stitch.answer(1, () => error);
  stitch.update({ status: 'disabled' });
  stitch.settle();
  t.strictSame(
    [...stitch.rows.values()].map(({ status }) => status),
    ['retrying', 'cancelled', 'retrying'],
    'only of the second it is known that it would be tried again',
  );
  const result = { delivery, at, durationMs: 1, body: '', error: null, jitter: 0.5, ...ok };
  stitch.do('settled', { results: [result] }, released => {
    stitch.do('progress', { answered: [], released });
  });
  stitch.answer(1, () => error);
  stitch.settle();
  t.strictSame(
    [...stitch.rows.values()].map(({ status }) => status),
    ['delivered', 'cancelled', 'cancelled'],
  );
  t.end();
});

t.test('an interrupted cancellation is taken up again', async t => {
  const stitch = new StitchHarness();
  stitch.emit(['thread_1', 'thread_2']);
  stitch.do('archive', tenancy);
  stitch.acknowledge();
  stitch.crash();
  stitch.settle();
  t.equal(stitch.open.length, 0);
  t.ok([...stitch.rows.values()].every(({ status }) => status === 'cancelled'));
  stitch.do('archive', tenancy);
  t.equal(stitch.commits.length, 0, 'archiving twice is archiving once');
  refuses(t, () => stitch.update({ name: 'x' }), 'svc/runtime/conflict');
  refuses(t, () => stitch.do('test', { ...tenancy, author }), 'svc/runtime/conflict');
});

t.test(
  'a stop cancels the replays from before it and none from after it, though the clock goes back',
  async t => {
    const stitch = new StitchHarness();
    stitch.emit(['thread_1']);
    stitch.pass(0, () => ok);
    const replay = (): void => {
      const [row] = [...stitch.rows.values()];
      if (row === undefined) throw new Error('there is no delivery');
      const { eventId, eventSeq, eventName, eventAt, threadId } = row;
      stitch.do('replay', { ...tenancy, event: { eventId, eventSeq, eventName, eventAt, threadId } });
    };
    replay();
    stitch.acknowledge();
    stitch.now -= 60_000;
    stitch.update({ status: 'disabled' });
    stitch.update({ status: 'active' });
    replay();
    stitch.acknowledge();
    stitch.settle();
    t.strictSame(
      [...stitch.rows.values()].map(({ trigger, status }) => `${trigger} ${status}`),
      ['scheduled delivered', 'manual cancelled', 'manual pending'],
    );
  },
);

t.test('a restored stitch gets the events from then on, and counts again', async t => {
  const stitch = new StitchHarness();
  stitch.emit(['thread_1']);
  stitch.do('archive', tenancy);
  stitch.settle();
  stitch.emit(['thread_2'], false);
  stitch.update({ archived: false, name: 'Back' });
  stitch.settle();
  t.match(stitch.committed, { name: 'Back', archivedAt: null, status: 'active' });
  t.equal(stitch.state.archivedAt, null);
  stitch.emit(['thread_3']);
  stitch.pass(0, () => ok);
  stitch.settle();
  t.match(
    [...stitch.rows.values()].map(({ threadId, status }) => `${threadId} ${status}`).at(-1),
    'thread_3 delivered',
  );
});

t.test(
  'what had begun and was not out yet when it was disabled is cancelled, and is not waited for',
  async t => {
    const stitch = new StitchHarness();
    stitch.emit(['thread_1', 'thread_2', null, 'thread_3']);
    stitch.settle();
    stitch.answer(1, () => error);
    stitch.pass(7_000);
    t.equal(stitch.out.length, 4, 'one of them is a retry');
    stitch.update({ status: 'disabled' });
    stitch.settle();
    stitch.update({ status: 'active' });
    stitch.settle();
    stitch.emit(['thread_1']);
    stitch.settle();
    const { dueAt } = stitch.state;
    const isOut = ({ eventSeq }: { readonly eventSeq: number }): boolean => eventSeq === 2;
    const deliveryIds = stitch.out.flatMap(({ delivery }) => (isOut(delivery) ? [] : [delivery.deliveryId]));
    stitch.out = stitch.out.filter(({ delivery }) => isOut(delivery));
    stitch.do('postpone', { deliveryIds });
    stitch.settle();
    t.equal(stitch.out.length, 1, 'what is out is waited for');
    t.equal(stitch.state.dueAt, dueAt, 'and no reminder is needed');
    stitch.answer(1, () => ok);
    stitch.settle();
    t.match(stitch.out, [{ delivery: { eventSeq: 5 } }]);
    stitch.pass(hour, () => ok);
    t.strictSame(
      [...stitch.rows.values()].map(({ status }) => status),
      ['cancelled', 'delivered', 'cancelled', 'cancelled', 'delivered'],
    );
  },
);

t.test('what was out when it was disabled is not tried again, though it was enabled since', async t => {
  const stitch = new StitchHarness();
  stitch.emit(['thread_1', 'thread_2', 'thread_3', 'thread_4']);
  stitch.settle();
  stitch.update({ status: 'disabled' });
  stitch.settle();
  stitch.update({ status: 'active' });
  stitch.settle();
  stitch.emit(['thread_1']);
  stitch.settle();
  t.equal(stitch.out.length, 4, 'nothing new is sent before the requests are back');
  const outcomes = [error, down, ok, gone];
  stitch.answer(4, ({ eventSeq }) => outcomes[eventSeq - 1] ?? ok);
  stitch.settle();
  t.equal(stitch.out.length, 1, 'and then at once');
  stitch.pass(hour, () => ok);
  t.strictSame(
    [...stitch.rows.values()].map(({ status }) => status),
    ['cancelled', 'cancelled', 'delivered', 'failed', 'delivered'],
  );
  t.match(stitch.state, { status: 'active', health: { failures: 0 } }, 'and counts for nothing');
});

t.test('nor what an earlier owner of the stitch reports only then', async t => {
  const stitch = new StitchHarness();
  stitch.emit(['thread_1']);
  stitch.settle();
  const [sent] = stitch.out;
  if (sent === undefined) return t.fail('nothing is out');
  stitch.crash();
  stitch.update({ status: 'disabled' });
  stitch.settle();
  stitch.update({ status: 'active' });
  stitch.settle();
  stitch.out = [sent];
  stitch.answer(1, () => error);
  stitch.pass(hour, () => ok);
  t.strictSame(
    [...stitch.rows.values()].map(({ status }) => status),
    ['cancelled'],
  );
});

t.test('and what was out when such a node had it is tried again where it was not stopped', async t => {
  const stitch = new StitchHarness();
  stitch.update({ status: 'disabled' });
  stitch.update({ status: 'active' });
  stitch.settle();
  stitch.emit(['thread_1']);
  stitch.settle();
  const { out } = stitch;
  stitch.committed = { ...stitch.committed, stops: 0 };
  stitch.crash();
  stitch.settle();
  t.equal(stitch.out.length, 1, 'the node that takes it over sends it as well');
  stitch.out = out;
  stitch.answer(1, () => error);
  stitch.pass(hour, () => ok);
  t.strictSame(
    [...stitch.rows.values()].map(({ status }) => status),
    ['delivered'],
  );
});

t.test('a rotation signs with both secrets while its grace lasts', async t => {
  const stitch = new StitchHarness();
  let shown: Stitch | undefined;
  const rotate = (jwe: string, gracePeriodSeconds: number): void => {
    stitch.do('rotateSecret', { ...tenancy, author, jwe, gracePeriodSeconds }, reply => (shown = reply));
    stitch.settle();
  };
  rotate('second', 3_600);
  t.notOk(JSON.stringify(shown).includes('second'), 'no secret is shown');
  t.strictSame(stitch.state.secrets, [{ jwe: 'second' }, { jwe: 'sealed', until: stitch.now + hour }]);
  stitch.emit(['thread_1']);
  stitch.settle();
  t.strictSame(
    stitch.out[0]?.order.secrets.map(({ jwe }) => jwe),
    ['second', 'sealed'],
    'newest first',
  );
  t.equal(stitch.events[0]?.name, 'stitch.secret.rotated');

  rotate('third', 7_200);
  t.strictSame(
    stitch.state.secrets.map(({ until }) => until),
    [undefined, stitch.now + 2 * hour, stitch.now + hour],
    'a grace that was promised is not made longer',
  );
  stitch.pass(hour + 1, () => ok);
  t.strictSame(
    stitch.state.secrets.map(({ jwe }) => jwe),
    ['third', 'second'],
    'forgotten when it ends',
  );
  stitch.pass(hour, () => ok);
  t.strictSame(stitch.state.secrets, [{ jwe: 'third' }]);
  rotate('fourth', 0);
  t.strictSame(stitch.state.secrets, [{ jwe: 'fourth' }], 'no grace at all');
});

t.test('a test event goes to this stitch alone', async t => {
  const stitch = new StitchHarness();
  let shown: WebhookDelivery | undefined;
  stitch.do('test', { ...tenancy, author }, reply => (shown = reply));
  t.equal(shown, undefined, 'answered when it is committed');
  stitch.acknowledge();
  const [event] = stitch.events;
  t.match(event, { name: 'stitch.test.ping', only: stitch.id });
  const { eventId, data } = JSON.parse(event?.body ?? '{}') as { eventId: string; data: object };
  t.match(data, { test: true, stitch: { stitchId: stitch.id } });
  t.match(shown, {
    deliveryId: deriveDeliveryId(eventId, stitch.id),
    eventId,
    status: 'pending',
    trigger: 'test',
  });
  stitch.update({ status: 'disabled' });
  refuses(t, () => stitch.do('test', { ...tenancy, author }), 'svc/runtime/conflict');
});

t.test('a sample has the name of its event for the receiver, and for nobody else', async t => {
  const stitch = new StitchHarness();
  const sample = {
    eventName: 'thread.message.received',
    data: { environmentId: 'another', actor: { type: 'contact', id: 'customer-1' }, message: {} },
  } as const;
  let shown: WebhookDelivery | undefined;
  stitch.do('test', { ...tenancy, author, sample }, reply => (shown = reply));
  stitch.acknowledge();
  const [event] = stitch.events;
  t.match(event, { name: 'stitch.test.ping', only: stitch.id }, 'what the log has');
  t.match(shown, { eventName: 'stitch.test.ping', trigger: 'test' });
  t.match(JSON.parse(event?.body ?? '{}'), {
    eventName: 'thread.message.received',
    data: { environmentId: tenancy.environmentId, test: true, actor: sample.data.actor, message: {} },
  });
});

t.test('a replay is a new delivery of the same event', async t => {
  const stitch = new StitchHarness();
  stitch.emit(['thread_1', 'thread_1']);
  stitch.pass(0, () => ok);
  const [first] = stitch.rows.values();
  if (first === undefined) return t.fail('no delivery');
  const { eventId, eventSeq, eventName, eventAt, threadId } = first;
  let shown: WebhookDelivery | undefined;
  const event = { eventId, eventSeq, eventName, eventAt, threadId };
  stitch.do('replay', { ...tenancy, event }, reply => (shown = reply));
  // A load that is read before the replay's commit must not hide it.
  stitch.do('wake', {});
  stitch.readTables();
  stitch.loaded();
  stitch.settle();
  t.equal(stitch.out[0]?.delivery.deliveryId, shown?.deliveryId);
  t.match(stitch.out[0]?.delivery, { eventId, trigger: 'manual', attempts: 0 });
  stitch.pass(0, () => ok);
  t.equal(stitch.rows.size, 3);
  t.equal(stitch.open.length, 0);
});

t.test('a span is replayed page by page, each page once', async t => {
  const stitch = new StitchHarness();
  const span = {
    since: '2026-11-01T00:00:00.000Z',
    until: '2026-12-01T00:00:00.000Z',
    eventNames: [],
    statuses: [],
  };
  const ask = () => stitch.do('replaySpan', { ...tenancy, sourceStitchId: newId('stitch'), ...span });
  ask();
  stitch.acknowledge();
  const jobId = stitch.replays[0]?.id ?? '';
  const events = [1, 2, 3].map(eventSeq => ({
    eventId: newId('event'),
    eventSeq,
    eventName: 'thread.message.received',
    eventAt: span.since,
    threadId: null,
  }));
  const next = { createdAt: span.since, eventSeq: 3 };
  const page = { jobId, after: null, events, next };
  stitch.do('replayPage', page);
  stitch.do('replayPage', page);
  stitch.acknowledge();
  t.equal(stitch.rows.size, 3, 'a page that was read twice counts once');
  t.match(stitch.replays[1], { id: jobId, after: next }, 'and asks for the next');
  t.equal(new Set([...stitch.rows.keys()]).size, 3);

  stitch.crash();
  stitch.acknowledge();
  t.match(stitch.replays.at(-1), { id: jobId, after: next }, 'which a crash does not forget');
  stitch.do('replayPage', { jobId, after: next, events: [], next: null });
  stitch.acknowledge();
  t.strictSame(stitch.state.replays, []);
  stitch.pass(0, () => ok);
  t.ok(
    [...stitch.rows.values()].every(({ status, trigger }) => status === 'delivered' && trigger === 'replay'),
  );
  for (let i = 0; i < 5; i++) ask();
  refuses(t, ask, 'svc/runtime/conflict');
});

t.test('what has failed is replayed by one job at a time, which says how far it is', async t => {
  const stitch = new StitchHarness();
  const source = newId('stitch');
  const order = {
    ...tenancy,
    sourceStitchId: source,
    since: '2026-11-01T00:00:00.000Z',
    until: '2026-11-19T00:00:00.000Z',
    eventNames: ['thread.*'],
    statuses: [],
    onlyFailed: true,
  } as const;
  const started: (string | null)[] = [];
  const ask = (more: object = {}) =>
    stitch.do('replaySpan', { ...order, ...more }, reply => started.push(reply.replayId));
  ask();
  ask({ until: '2026-11-20T00:00:00.000Z' });
  stitch.acknowledge();
  t.equal(stitch.state.replays.length, 1);
  const [job] = stitch.state.replays;
  t.strictSame(started, [job?.id, job?.id], 'the same order meanwhile is the same replay');
  t.match(job, { onlyFailed: true, startedAt: '2026-11-20T12:00:00.000Z', replayed: 0, after: null });
  for (const other of [{ eventNames: [] }, { since: order.until }, { sourceStitchId: newId('stitch') }]) {
    refuses(t, () => ask(other), 'svc/runtime/conflict');
  }
  const event = {
    eventId: newId('event'),
    eventSeq: 1,
    eventName: 'thread.tags.changed',
    eventAt: order.since,
  };
  const next = { createdAt: order.since, eventSeq: 7 };
  const page = { jobId: job?.id ?? '', after: null, events: [{ ...event, threadId: null }], next };
  stitch.do('replayPage', page);
  stitch.acknowledge();
  t.match(stitch.state.replays, [{ replayed: 1, after: next }]);
  stitch.do('replayPage', { ...page, after: next, events: [], next: null });
  stitch.acknowledge();
  ask({ eventNames: [] });
  stitch.acknowledge();
  t.equal(stitch.state.replays.length, 1, 'the next may come');
});
