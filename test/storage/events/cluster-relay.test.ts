/** Committed events between nodes: two hubs on a network that loses, repeats, delays and crosses messages show every event once, in order. */
import fc from '../../support/fuzz.ts';
import t, { type Test } from 'tap';
import type { Follower } from '../../../gateway/stream/project-stream.ts';
import { Hub } from '../../../gateway/stream/hub.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { systemRandom } from '../../../runtime/time/clock.ts';
import {
  ClusterRelay,
  decodeRelayMessage,
  encodeEvents,
  encodeGap,
} from '../../../storage/events/cluster-relay.ts';
import { ProjectInterest } from '../../../storage/events/project-interest.ts';
import { CommitNotifier, type CommittedEvent } from '../../../storage/events/commit-notifier.ts';
import {
  admission,
  ManualClock,
  MemoryEvents,
  numbers,
  projectId,
  sandbox,
} from '../../gateway/stream/stream-fixture.ts';

/** What becomes of a message on its way to one node: the delays of its copies in milliseconds; none, and it is lost. */
type Delays = readonly number[];

const atOnce: Delays = [0];

/** Topics between nodes, with faults to order. */
class Network {
  /** Of the messages to come; afterwards they arrive at once. */
  delays: Delays[] = [];
  readonly published: { readonly topic: string; readonly text: string }[] = [];
  lost = 0;
  doubled = 0;
  delayed = 0;
  readonly #clock: ManualClock;
  readonly #listeners = new Map<string, Set<(text: string) => void>>();

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  /** What was published of commits. */
  get events(): readonly { readonly text: string }[] {
    return this.published.filter(({ topic }) => topic.startsWith('events.'));
  }

  publish(topic: string, text: string): void {
    this.published.push({ topic, text });
    for (const listener of this.#listeners.get(topic) ?? []) {
      const delays = this.delays.shift() ?? atOnce;
      if (delays.length === 0) this.lost++;
      if (delays.length > 1) this.doubled++;
      for (const ms of delays) {
        if (ms > 0) this.delayed++;
        this.#clock.after(ms, () => listener(text));
      }
    }
  }

  isHeard(topic: string): Promise<boolean> {
    return Promise.resolve((this.#listeners.get(topic)?.size ?? 0) > 0);
  }

  subscribe(topic: string, listener: (text: string) => void): () => void {
    const all = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, all.add(listener));
    return () => all.delete(listener);
  }
}

function quiet(): Follower {
  const nothing = (): void => undefined;
  return {
    index: -1,
    admission: admission(),
    loaded: nothing,
    onJump: nothing,
    checkBuffer: nothing,
    tick: nothing,
    end: nothing,
  };
}

/** What a node has for committed events. */
class Member {
  readonly notifier = new CommitNotifier();
  readonly relay: ClusterRelay;
  readonly hub: Hub;
  readonly seqs: number[] = [];
  readonly #events: MemoryEvents;
  /** Requests to scan the deliveries of all stitches. */
  scans = 0;
  /** Of the log, as this node knows it. */
  generation = 0;

  constructor(name: string, shared: { clock: ManualClock; events: MemoryEvents; network: Network }) {
    const { clock, events, network } = shared;
    this.#events = events;
    this.relay = new ClusterRelay({
      transport: network,
      clock,
      notifier: this.notifier,
      from: name,
      getGeneration: () => this.generation,
      maxBytes: 4_000,
    });
    this.notifier.setRelay(this.relay);
    this.hub = new Hub({
      events,
      clock,
      random: systemRandom,
      log: silentLog,
      follow: id => this.notifier.follow(id),
      publish: (_, frame) => this.seqs.push((JSON.parse(frame) as { seq: number }).seq),
    });
    this.notifier.addListener({
      onEvents: heard => heard.forEach(event => this.hub.accept(event)),
      onGap: ids => this.hub.onGap(ids),
      onUncertain: () => {
        this.scans++;
      },
    });
  }

  /** Commits events of the project in one go; of an unknown outcome, their numbers are lost with the answer. */
  commit(count: number, { text = '', inDoubt = false } = {}): void {
    const before = this.#events.rows.length;
    const rows = Array.from({ length: count }, () => this.#events.append(sandbox, text));
    const events = rows.map(({ eventName, body }) => ({
      projectId,
      environmentId: sandbox,
      eventId: '',
      eventName,
      occurredAt: '',
      body,
    }));
    if (inDoubt) this.notifier.notifyUnnumbered(events);
    else
      this.notifier.notifyCommitted(events, [
        { heads: { [projectId]: before }, subscriptions: {}, tested: [] },
      ]);
  }
}

function setUp() {
  const clock = new ManualClock();
  const events = new MemoryEvents();
  const network = new Network(clock);
  const shared = { clock, events, network };
  return { ...shared, one: new Member('one', shared), two: new Member('two', shared) };
}

t.test("events of one node's commits are shown on both, without reading the log", async t => {
  const { clock, events, network, one, two } = setUp();
  for (const { hub } of [one, two]) hub.join(projectId, quiet());
  await clock.advance(0);
  one.commit(3);
  await clock.advance(1);
  two.commit(2);
  await clock.advance(1);
  t.same([one.seqs, two.seqs], [numbers(5), numbers(5)]);
  t.equal(network.events.length, 2, 'one message per commit');
  t.equal(events.pages, 0);
});

t.test('a node hears only of what is followed there', async t => {
  const { clock, one, two } = setUp();
  let heard = 0;
  two.notifier.addListener({ onEvents: () => heard++, onGap: () => heard++ });
  one.commit(1);
  two.commit(1);
  await clock.advance(1);
  t.same([two.relay.subscriptions, heard], [0, 0], 'not even of its own commits');

  const stream = two.hub.join(projectId, quiet());
  const unfollow = two.notifier.follow(projectId);
  t.equal(two.relay.subscriptions, 1, 'once, however many follow');
  one.commit(1);
  await clock.advance(1);
  t.equal(heard, 1);

  const [follower] = stream.followers;
  if (follower !== undefined) two.hub.leave(stream, follower);
  t.equal(two.relay.subscriptions, 1);
  unfollow();
  unfollow();
  t.equal(two.relay.subscriptions, 0);
  one.commit(1);
  await clock.advance(1);
  t.equal(heard, 1);
});

t.test('what nobody follows is not published, and whoever begins to follow misses nothing', async t => {
  const { clock, network, one, two } = setUp();
  one.commit(1);
  await clock.advance(0);
  t.equal(network.events.length, 1, 'until it is known that nobody listens');
  for (let i = 0; i < 50; i++) one.commit(2);
  t.equal(network.events.length, 1);

  two.hub.join(projectId, quiet());
  await clock.advance(0);
  t.strictSame(
    network.events.slice(1).map(({ text }) => text),
    ['one ?'],
    'the first follower is told to read the log',
  );
  one.commit(1);
  await clock.advance(1);
  t.same(two.seqs.at(-1), 102);
  t.equal(network.events.length, 3);
});

t.test('a follower that nobody heard of gets the events of a second later', async t => {
  const { clock, network, one, two } = setUp();
  one.commit(1);
  await clock.advance(0);
  network.delays = [[], []];
  two.hub.join(projectId, quiet());
  await clock.advance(0);
  t.equal(network.lost, 2, 'neither node heard that it follows');
  one.commit(1);
  t.equal(network.events.length, 1);
  await clock.advance(1_000);
  one.commit(1);
  await clock.advance(1);
  t.strictSame(network.events.at(-1)?.text, 'one ?');
  await clock.advance(100);
  t.same(two.seqs.at(-1), 3, 'the log has the rest');
});

t.test('when the last follower has left, publishing ends soon', async t => {
  const { clock, network, one, two } = setUp();
  const unfollow = two.notifier.follow(projectId);
  one.commit(1);
  await clock.advance(0);
  unfollow();
  one.commit(1);
  t.equal(network.events.length, 2);
  await clock.advance(10_000);
  one.commit(1);
  await clock.advance(0);
  one.commit(1);
  t.equal(network.events.length, 3);
});

t.test('after an outage a node publishes again, and says again what it follows', async t => {
  const { clock, network, one, two } = setUp();
  one.commit(1);
  await clock.advance(0);
  network.delays = [[], []];
  two.notifier.follow(projectId);
  await clock.advance(0);
  one.commit(1);
  t.equal(network.events.length, 1);
  one.relay.onOutage();
  one.commit(1);
  t.equal(network.events.length, 2);
  two.relay.onOutage();
  t.strictSame(network.published.at(-1), { topic: 'followed', text: projectId });
});

t.test('an answer from before somebody began to follow counts for nothing', async t => {
  const clock = new ManualClock();
  const answers: ((isHeard: boolean) => void)[] = [];
  const missed: string[] = [];
  const interest = new ProjectInterest({
    clock,
    isHeard: () => new Promise(resolve => answers.push(resolve)),
    onMissed: id => missed.push(id),
  });
  t.equal(interest.isFollowed('p'), true);
  interest.onFollowed('p');
  answers[0]?.(false);
  await clock.advance(0);
  t.equal(interest.isFollowed('p'), true);
  t.equal(answers.length, 1, 'it is not asked again at once');
  await clock.advance(10_000);
  interest.isFollowed('p');
  answers[1]?.(false);
  await clock.advance(0);
  t.equal(interest.isFollowed('p'), false);
  interest.onFollowed('p');
  t.strictSame(missed, ['p']);
  t.equal(interest.isFollowed('p'), true);
});

t.test('a large event is announced without its text, and read from the log', async t => {
  const { clock, events, network, one, two } = setUp();
  two.hub.join(projectId, quiet());
  await clock.advance(0);
  one.commit(1);
  one.commit(1, { text: 'x'.repeat(5_000) });
  one.commit(1);
  await clock.advance(100);
  t.same(two.seqs, numbers(3));
  t.equal(events.pages, 1);
  t.ok(network.events.every(({ text }) => text.length <= 4_000));
});

t.test('a commit whose numbers are not known is shown on both', async t => {
  const { clock, one, two } = setUp();
  for (const { hub } of [one, two]) hub.join(projectId, quiet());
  await clock.advance(0);
  one.commit(2, { inDoubt: true });
  await clock.advance(100);
  t.same([one.seqs, two.seqs], [numbers(2), numbers(2)]);
  t.same([one.scans, two.scans], [1, 0], 'one scan is enough for the cluster');
});

t.test(
  'after an outage what is followed is compared with the log at once, and deliveries are looked for',
  async t => {
    const { clock, network, one, two } = setUp();
    two.hub.join(projectId, quiet());
    await clock.advance(0);
    network.delays = [[], []];
    one.commit(1);
    one.commit(4);
    await clock.advance(50);
    t.same([two.seqs, network.lost], [[], 2]);
    two.notifier.onOutage();
    await clock.advance(50);
    t.same(two.seqs, numbers(5));
    t.equal(two.scans, 1);
  },
);

t.test('whatever the network does, each node shows every event once, in order', async t => {
  const delays = fc.array(fc.nat({ max: 400 }), { maxLength: 3 });
  const step = fc.record({
    by: fc.nat({ max: 1 }),
    count: fc.integer({ min: 1, max: 30 }),
    inDoubt: fc.boolean(),
    pauseMs: fc.nat({ max: 300 }),
  });
  const fired = { lost: 0, doubled: 0, delayed: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 25 }),
      fc.array(delays, { maxLength: 60 }),
      async (steps, ofMessages) => {
        const { clock, events, network, one, two } = setUp();
        for (const { hub } of [one, two]) hub.join(projectId, quiet());
        await clock.advance(0);
        network.delays = [...ofMessages];
        for (const { by, count, inDoubt, pauseMs } of steps) {
          (by === 0 ? one : two).commit(count, { inDoubt });
          await clock.advance(pauseMs);
        }
        // Past the longest delay and the next look at the tails.
        await clock.advance(4_000);
        for (const fault of ['lost', 'doubled', 'delayed'] as const) fired[fault] += network[fault];
        const all = String(numbers(events.rows.length));
        return String(one.seqs) === all && String(two.seqs) === all;
      },
    ),
    { numRuns: 100 },
  );
  t.ok(Object.values(fired).every(Boolean), `faults: ${JSON.stringify(fired)}`);
});

t.test('the text of a message gives the events back, byte by byte', t => {
  const event = (seq: number, text: string): CommittedEvent => {
    const body = JSON.stringify({ n: seq, text });
    return { projectId, seq, eventName: 'thread.message.received', body };
  };
  const events = [event(7, 'line\nbreak "quoted" é 😀'), event(8, ''), event(9, ' ')];
  const [message = '', ...more] = encodeEvents('me', events, 10_000);
  t.same(more, []);
  t.same(decodeRelayMessage(projectId, message), { from: 'me', generation: 0, events });
  t.same(decodeRelayMessage(projectId, encodeGap('me')), { from: 'me', generation: 0, events: undefined });
  const [later = ''] = encodeEvents('me', events, 10_000, 3);
  t.same(decodeRelayMessage(projectId, later), { from: 'me', generation: 3, events });
  t.equal(encodeEvents('me', [], 100).length, 0);
  splits(
    t,
    Array.from({ length: 50 }, (_, i) => event(i + 1, 'é'.repeat(i * 3))),
  );
  for (const odd of ['', 'you', 'you 0', 'you 1e3\na {}', 'you 5\nnameless', 'you 5\n{} x\n']) {
    t.equal(decodeRelayMessage(projectId, odd).events, undefined, 'read from the log');
  }
  t.end();
});

function splits(t: Test, events: readonly CommittedEvent[]): void {
  const maxBytes = 300;
  const messages = encodeEvents('me', events, maxBytes);
  t.ok(messages.every(text => Buffer.byteLength(text) <= maxBytes));
  const whole = events.filter(({ body }) => Buffer.byteLength(body) < 260);
  const decoded = messages.map(text => decodeRelayMessage(projectId, text).events);
  t.same(
    decoded.flatMap(each => each ?? []).filter(({ seq }) => seq <= whole.length),
    whole,
  );
  t.ok(decoded.includes(undefined), 'and announces what is too large');
}
