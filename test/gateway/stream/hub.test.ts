/** The hub alone: whatever the news does, every number is published once and in order. */
import fc from '../../support/fuzz.ts';
import t from 'tap';
import type { Admission } from '../../../gateway/stream/admission.ts';
import type { Follower } from '../../../gateway/stream/project-stream.ts';
import { Hub } from '../../../gateway/stream/hub.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import type { LoggedEvent, StreamHead } from '../../../storage/events/event-log.ts';
import {
  admission,
  everything,
  ManualClock,
  MemoryEvents,
  numbers,
  production,
  projectId,
  sandbox,
} from './stream-fixture.ts';

/** A follower that takes notes. */
class Notes implements Follower {
  index = -1;
  readonly admission: Admission;
  readonly resets: string[] = [];
  buffersChecked = 0;
  loads = 0;

  constructor(overrides: Partial<Admission>) {
    this.admission = admission(overrides);
  }

  loaded(): void {
    this.loads++;
  }

  onJump(reason: string): void {
    this.resets.push(reason);
  }

  checkBuffer(): void {
    this.buffersChecked++;
  }

  tick(): void {}

  end(): void {}
}

const follower = (environmentId?: string): Notes => new Notes({ environmentId });

function setUp() {
  const clock = new ManualClock();
  const events = new MemoryEvents();
  const frames: string[] = [];
  const limited: string[] = [];
  const hub = new Hub({
    events,
    clock,
    // Back-off without jitter.
    random: { next: () => 0.5, bytes: size => Buffer.alloc(size) },
    log: silentLog,
    publish: (topic, frame) => (topic === `${projectId} ${everything.id}` ? frames : limited).push(frame),
  });
  const seqs = (): number[] => frames.map(frame => (JSON.parse(frame) as { seq: number }).seq);
  return { clock, events, hub, frames, limited, seqs };
}

t.test('events are shown in order as they come, with the exact text', async t => {
  const { clock, events, hub, frames, seqs } = setUp();
  const one = follower();
  hub.join(projectId, one);
  await clock.advance(0);
  t.equal(one.loads, 1);
  const committed = events.appendMany(3);
  for (const event of committed) hub.accept(event);
  t.same(seqs(), [1, 2, 3]);
  t.equal(frames[1], `{"type":"event","seq":2,"event":${committed[1]?.body}}`);
  t.equal(events.pages, 0, 'nothing was read');
});

t.test(
  'holds news that comes while the head is being read, and shows what the head does not include',
  async t => {
    const { clock, events, hub, seqs } = setUp();
    let answer: (heads: StreamHead[]) => void = () => undefined;
    events.heads = () => new Promise(resolve => (answer = resolve));
    hub.join(projectId, follower());
    for (const event of events.appendMany(5)) hub.accept(event);
    t.same(seqs(), []);
    answer([{ projectId, epoch: 'first', seq: 3 }]);
    await clock.advance(0);
    t.same(seqs(), [4, 5]);
    t.equal(events.pages, 0);
  },
);

t.test('gives news that crosses a moment to fall in order, without reading', async t => {
  const { clock, events, hub, seqs } = setUp();
  hub.join(projectId, follower());
  await clock.advance(0);
  const [first, second, third] = events.appendMany(3);
  if (!first || !second || !third) throw new Error('no events');
  hub.accept(third);
  hub.accept(first);
  t.same(seqs(), [1]);
  hub.accept(second);
  t.same(seqs(), [1, 2, 3]);
  await clock.advance(1_000);
  t.equal(events.pages, 0);
});

t.test('heals a gap from the log before anything newer is shown', async t => {
  const { clock, events, hub, seqs } = setUp();
  hub.join(projectId, follower());
  await clock.advance(0);
  const committed = events.appendMany(10);
  hub.accept(committed[9] as never);
  await clock.advance(19);
  t.same(seqs(), []);
  await clock.advance(1);
  t.same(seqs(), numbers(10));
  t.equal(events.pages, 1);
});

t.test('retries with growing pauses while the database is away', async t => {
  const { clock, events, hub, seqs } = setUp();
  hub.join(projectId, follower());
  await clock.advance(0);
  const committed = events.appendMany(4);
  events.failing = 3;
  hub.accept(committed[3] as never);
  await clock.advance(20 + 100 + 200);
  t.same(seqs(), []);
  t.equal(events.failed, 3);
  await clock.advance(400);
  t.same(seqs(), [1, 2, 3, 4]);
});

t.test('waits for a database that is away when the first follower comes', async t => {
  const { clock, events, hub } = setUp();
  events.appendMany(4);
  events.failing = 2;
  const one = follower();
  const stream = hub.join(projectId, one);
  await clock.advance(0);
  t.equal(stream.loaded, false);
  await clock.advance(300);
  t.equal(events.failed, 2);
  t.equal(stream.head, 4);
  t.equal(one.loads, 1);
});

t.test('notices news that was lost and that nothing followed', async t => {
  const { clock, events, hub, seqs } = setUp();
  hub.join(projectId, follower());
  await clock.advance(0);
  events.appendMany(3);
  await clock.advance(2_900);
  t.same(seqs(), []);
  await clock.advance(200);
  t.same(seqs(), [1, 2, 3]);
});

t.test('reads the log at once when told that numbers are not known', async t => {
  const { clock, events, hub, seqs } = setUp();
  hub.join(projectId, follower());
  await clock.advance(0);
  events.appendMany(3);
  hub.onGap([projectId, 'prj_nobody']);
  await clock.advance(50);
  t.same(seqs(), [1, 2, 3]);
});

t.test('holds no more than its bound behind a gap, and reads the rest from the log', async t => {
  const { clock, events, hub, seqs } = setUp();
  hub.join(projectId, follower());
  await clock.advance(0);
  const committed = events.appendMany(3_000);
  events.failing = 1;
  for (const event of committed.slice(1)) hub.accept(event);
  await clock.advance(20);
  t.equal(events.failed, 1);
  t.same(seqs(), []);
  await clock.advance(200);
  t.same(seqs(), numbers(3_000));
});

t.test('tells its followers when the epoch has changed, and goes on from the new head', async t => {
  const { clock, events, hub, seqs } = setUp();
  const one = follower();
  const stream = hub.join(projectId, one);
  await clock.advance(0);
  for (const event of events.appendMany(9)) hub.accept(event);
  events.rows.length = 2;
  events.epoch = 'second';
  await clock.advance(3_000);
  t.same(one.resets, ['epoch']);
  t.equal(stream.epoch, 'second');
  t.equal(stream.head, 2);
  hub.accept(events.append());
  t.same(seqs(), [...numbers(9), 3]);
});

t.test('jumps over what the log has lost, and says so', async t => {
  const { clock, events, hub } = setUp();
  const one = follower();
  const stream = hub.join(projectId, one);
  await clock.advance(0);
  const [, second] = events.appendMany(2);
  // The first is gone from the log: a page that begins with it is empty.
  events.page = () => Promise.resolve([]);
  hub.accept(second as never);
  await clock.advance(1_000);
  t.same(one.resets, ['expired']);
  t.equal(stream.head, 2);
});

t.test('publishes to those who see less what they see, and counts all', async t => {
  const { clock, events, hub, frames, limited } = setUp();
  const view = { id: 1, names: new Set(['thread.message.received', 'thread.typing.started']) };
  const operator = new Notes({ view });
  const stream = hub.join(projectId, operator);
  hub.join(projectId, follower());
  await clock.advance(0);
  hub.accept(events.append());
  hub.accept(events.append(sandbox, '', 'byok.credential.created'));
  hub.accept(events.append());
  hub.ephemeral({ projectId, environmentId: sandbox, body: '{"eventName":"thread.typing.started"}' });
  hub.ephemeral({ projectId, environmentId: sandbox, body: '{"eventName":"agent.output.delta"}' });
  const seqs = (texts: readonly string[]) => texts.map(text => (JSON.parse(text) as { seq?: number }).seq);
  t.same(seqs(frames), [1, 2, 3, undefined, undefined]);
  t.same(seqs(limited), [1, 3, undefined]);
  t.equal(stream.head, 3);
  hub.leave(stream, operator);
  hub.accept(events.append());
  t.equal(limited.length, 3, 'nobody is left who sees that');
});

t.test('publishes by environment only while a follower is limited to it', async t => {
  const { clock, events, hub, frames, limited } = setUp();
  const key = follower(production);
  hub.join(projectId, follower());
  const stream = hub.join(projectId, key);
  await clock.advance(0);
  hub.accept(events.append(sandbox));
  hub.accept(events.append(production));
  const typing = '{"eventName":"thread.typing.started"}';
  hub.ephemeral({ projectId, environmentId: production, body: typing });
  hub.ephemeral({ projectId, environmentId: sandbox, body: typing });
  t.equal(frames.length, 4);
  t.same(
    limited.map(frame => (JSON.parse(frame) as { seq?: number }).seq),
    [2, undefined],
  );
  hub.leave(stream, key);
  hub.accept(events.append(production));
  t.equal(limited.length, 2);
});

t.test('has buffers looked at after 64 KiB, and not before', async t => {
  const { clock, events, hub } = setUp();
  const one = follower();
  hub.join(projectId, one);
  await clock.advance(0);
  for (let i = 0; i < 6; i++) hub.accept(events.append(sandbox, 'x'.repeat(10_000)));
  t.equal(one.buffersChecked, 0);
  hub.accept(events.append(sandbox, 'x'.repeat(10_000)));
  t.equal(one.buffersChecked, 1);
});

t.test('forgets a project with its last follower', async t => {
  const { clock, events, hub, seqs } = setUp();
  const one = follower();
  const two = follower();
  const stream = hub.join(projectId, one);
  hub.join(projectId, two);
  await clock.advance(0);
  hub.leave(stream, one);
  t.same(stream.followers, [two]);
  t.equal(two.index, 0);
  hub.leave(stream, two);
  t.same([...hub.streams], []);
  hub.accept(events.append());
  t.same(seqs(), []);
});

t.test('any order, any repeats, any losses and any faults: every number once, in order', async t => {
  const news = fc.array(
    fc.record({ seq: fc.integer({ min: 1, max: 40 }), pauseMs: fc.constantFrom(0, 0, 0, 5, 30) }),
    { maxLength: 80 },
  );
  const property = fc.asyncProperty(news, fc.integer({ min: 0, max: 4 }), async (deliveries, faults) => {
    const { clock, events, hub, seqs } = setUp();
    hub.join(projectId, follower());
    await clock.advance(0);
    const committed = events.appendMany(40);
    events.failing = faults;
    for (const { seq, pauseMs } of deliveries) {
      hub.accept(committed[seq - 1] as never);
      if (pauseMs > 0) await clock.advance(pauseMs);
    }
    await clock.advance(20_000);
    const shown = seqs();
    return shown.length === 40 && shown.every((seq, index) => seq === index + 1);
  });
  await fc.assert(property, { numRuns: 60 });
  t.pass('held for 60 runs');
});

t.test('a log that went back', async t => {
  const { clock, events, hub, frames, seqs } = setUp();
  const live = follower();
  hub.join(projectId, live);
  await clock.advance(0);
  for (const event of events.appendMany(10)) hub.accept(event);
  // A read of a gap is under way when the log goes back.
  let answer: (page: LoggedEvent[]) => void = () => undefined;
  const { page } = events;
  events.page = () => new Promise(resolve => (answer = resolve));
  const lost = events.appendMany(3);
  hub.accept(lost[2] as never);
  await clock.advance(20);
  events.rows.length = 8;
  events.epoch = 'second';
  frames.length = 0;
  const again = events.appendMany(4);
  hub.reset();
  for (const event of again) hub.accept(event);
  answer(lost as never);
  events.page = page;
  await clock.advance(0);
  t.same(live.resets, ['epoch'], 'its follower is told once');
  t.same(seqs(), [], 'and fetches what there is');
  for (const event of events.appendMany(3)) hub.accept(event);
  t.same(seqs(), [13, 14, 15], 'nothing is passed over');
  await clock.advance(10_000);
  t.same(live.resets, ['epoch']);

  const waiting = follower();
  hub.reset();
  hub.join(projectId, waiting);
  await clock.advance(0);
  t.equal(waiting.loads, 1);
  t.same(
    [live, waiting].map(({ resets }) => resets.length),
    [1, 0],
    'the same epoch resets no subscriber',
  );
});
