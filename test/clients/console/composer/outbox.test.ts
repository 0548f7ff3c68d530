/** The outbox: every message once and in order, whatever the network does. */
import t from 'tap';
import { Outbox, type Outgoing } from '../../../../clients/console/composer/outbox.ts';
import { getMark } from '../../../../clients/console/composer/outgoing.ts';
import { getShownState } from '../../../../clients/console/composer/unsent.ts';
import { ApiError, ConnectionError } from '../../../../clients/sdk/index.ts';
import fc from '../../../support/fuzz.ts';

/** What becomes of one try: it fails on its way there, on its way back, meets an earlier one that is being carried out, or is answered. */
type Outcome =
  | 'lost'
  | 'unanswered'
  | 'underWay'
  | 'busy'
  | 'accepted'
  | 'refused'
  | 'archived'
  | 'refusedBefore';

const createError = (
  status: number,
  code = 'svc/runtime/conflict',
  details?: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): ApiError =>
  new ApiError({
    status,
    code,
    reason: 'The thread is archived.',
    requestId: undefined,
    docsUrl: undefined,
    details,
    retryAfterSeconds: undefined,
    headers: new Headers(headers),
  });

const hour = 3_600_000;

/** What a tab keeps. */
interface Tab {
  kept: string | null;
}

/** A server that honours keys for a day, a network that does as it is told, and a clock that goes when it is wound. */
class Network implements Tab {
  readonly received: Outgoing[] = [];
  readonly tries: Outgoing[] = [];
  kept: string | null = null;
  at = 0;
  looks = 0;
  /** Nothing gets through. */
  isDown = false;
  /** When the server has received what had the key. */
  readonly #honoured = new Map<string, number>();
  readonly #outcomes: Outcome[];
  #keys = 0;
  readonly #timers = new Set<() => void>();

  constructor(outcomes: readonly Outcome[]) {
    this.#outcomes = [...outcomes];
  }

  createOutbox(tab: Tab = this): Outbox {
    return new Outbox({
      send: async outgoing => this.#take(outgoing),
      isThere: async outgoing => this.#find(outgoing),
      getLastSequence: () => this.received.length,
      describe: async error => (error instanceof ApiError ? error.reason : ''),
      load: () => tab.kept,
      keep: text => void (tab.kept = text),
      schedule: work => {
        this.#timers.add(work);
        return () => this.#timers.delete(work);
      },
      now: () => this.at,
      createKey: () => `key-${++this.#keys}`,
    });
  }

  /** Until nothing happens any more by itself. */
  async run(): Promise<void> {
    for (let turn = 0; turn < 300; turn++) {
      await Promise.resolve();
      const [timer] = this.#timers;
      if (timer !== undefined) {
        this.#timers.delete(timer);
        timer();
      }
    }
  }

  #find({ resend, afterSequence = 0, ...item }: Outgoing): boolean {
    this.looks++;
    if (this.isDown) throw new ConnectionError('down');
    return this.received
      .slice(afterSequence)
      .some(
        each =>
          getMark(each) === getMark(item) ||
          (resend !== undefined && each.resend?.messageId === resend.messageId),
      );
  }

  #take(outgoing: Outgoing): void {
    this.tries.push(outgoing);
    if (this.isDown) throw new ConnectionError('down');
    const outcome = this.#outcomes.shift() ?? 'accepted';
    if (outcome === 'lost') throw new ConnectionError('lost');
    if (outcome === 'busy') throw createError(503);
    if (outcome === 'underWay')
      throw createError(409, 'svc/runtime/idempotency_conflict', { reason: 'in_progress' });
    const isKnown = this.at - (this.#honoured.get(outgoing.key) ?? -Infinity) < 24 * hour;
    if (outcome === 'refused' && !isKnown) throw createError(409);
    if (outcome === 'archived') throw createError(409, 'svc/runtime/conflict', { status: 'archived' });
    if (outcome === 'refusedBefore')
      throw createError(409, undefined, undefined, { 'Idempotent-Replayed': 'true' });
    if (!isKnown) {
      this.received.push(outgoing);
      this.#honoured.set(outgoing.key, this.at);
    }
    if (outcome === 'unanswered') throw new ConnectionError('lost');
  }
}

const note = (body: string) => ({ kind: 'note', body }) as const;
const bodies = (items: readonly Outgoing[]): string[] => items.map(({ content }) => content.body);

t.test(
  'every message arrives once and in the order of its thread, whatever is lost, over reloads of the page',
  async () => {
    const outcome = fc.constantFrom<Outcome>('lost', 'unanswered', 'underWay', 'busy', 'accepted');
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ add: fc.constantFrom('a', 'b') }) },
      { weight: 1, arbitrary: fc.constant('reload' as const) },
      { weight: 1, arbitrary: fc.constant('run' as const) },
      { weight: 1, arbitrary: fc.boolean() },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(outcome, { maxLength: 12 }),
        fc.array(step, { maxLength: 12 }),
        async (outcomes, steps) => {
          const network = new Network(outcomes);
          let outbox = network.createOutbox();
          const sent: Record<string, string[]> = { a: [], b: [] };
          for (const [index, each] of steps.entries()) {
            if (each === 'run') await network.run();
            else if (typeof each === 'boolean') network.isDown = each;
            else if (each === 'reload') {
              outbox.stop();
              outbox = network.createOutbox();
            } else {
              sent[each.add]?.push(`${index}`);
              outbox.add(each.add, note(`${index}`));
            }
          }
          network.isDown = false;
          outbox.resume();
          await network.run();
          const arrived = (thread: string): string[] =>
            bodies(network.received.filter(({ threadId }) => threadId === thread));
          return (
            outbox.getItems().length === 0 &&
            String(arrived('a')) === String(sent['a']) &&
            String(arrived('b')) === String(sent['b'])
          );
        },
      ),
    );
  },
);

t.test('what an outbox hears of after its end does not undo what the next one keeps', async t => {
  const network = new Network([]);
  const first = network.createOutbox();
  first.add('a', note('first'));
  first.stop();
  const second = network.createOutbox();
  network.isDown = true;
  second.add('a', note('second'));
  await network.run();
  t.strictSame(bodies(network.received), ['first']);
  second.stop();
  const third = network.createOutbox();
  t.strictSame(bodies(third.getItems()), ['first', 'second']);
  network.isDown = false;
  third.resume();
  await network.run();
  t.strictSame(bodies(network.received), ['first', 'second']);
});

t.test('what there is no room for is sent all the same, and in its order', async t => {
  const network = new Network(['lost']);
  const full: Tab = {
    get kept() {
      return null;
    },
    set kept(_text) {
      throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
    },
  };
  const outbox = network.createOutbox(full);
  let told = 0;
  outbox.onChange(() => told++);
  outbox.add('a', note('first'));
  outbox.add('a', note('second'));
  t.strictSame(bodies(outbox.getItems()), ['first', 'second'], 'whoever shows them knows of them');
  t.ok(told > 0);
  await network.run();
  t.strictSame(bodies(network.received), ['first', 'second']);
  t.strictSame(outbox.getItems(), []);
});

t.test('what is refused waits for the operator, and what follows it waits, too', async t => {
  const network = new Network(['refused']);
  const outbox = network.createOutbox();
  outbox.add('a', note('first'));
  outbox.add('a', note('second'));
  outbox.add('b', note('elsewhere'));
  await network.run();
  t.match(outbox.getItems(), [
    { state: 'refused', problem: 'The thread is archived.' },
    { state: 'waiting' },
  ]);
  t.strictSame(bodies(network.received), ['elsewhere']);
  outbox.retry('key-1');
  await network.run();
  t.strictSame(bodies(network.received), ['elsewhere', 'first', 'second']);
  t.not(network.received[1]?.key, 'key-1', 'what is sent again is something new');
});

const failed = { messageId: 'message_1', threadId: 'a', sequence: 0 };

t.test('a message that failed is sent once more once, whoever does so and however often', async t => {
  const network = new Network(['unanswered']);
  const outbox = network.createOutbox();
  outbox.addAgain(note('failed'), failed);
  outbox.addAgain(note('failed'), failed);
  t.equal(outbox.getItems().length, 1);
  await network.run();
  network.kept = null;
  network.createOutbox().addAgain(note('failed'), failed);
  network.createOutbox().addAgain(note('another'), { ...failed, messageId: 'message_2' });
  await network.run();
  t.strictSame(bodies(network.received), ['failed', 'another']);
});

t.test('what was refused before stands in the way of no later attempt', async t => {
  const network = new Network(['refused', 'refusedBefore', 'accepted']);
  const outbox = network.createOutbox();
  outbox.addAgain(note('failed'), failed);
  await network.run();
  t.match(outbox.getItems(), [{ state: 'refused' }]);
  // A colleague, later.
  network.kept = null;
  const other = network.createOutbox();
  other.addAgain(note('failed'), failed);
  await network.run();
  t.strictSame(bodies(network.received), ['failed']);
  const keys = network.tries.map(({ key }) => key);
  t.equal(keys[1], keys[0]);
  outbox.retry(keys[0] ?? '');
  await network.run();
  t.strictSame(bodies(network.received), ['failed'], 'and both attempts are one');
});

t.test(
  'what came to nothing is tried again by itself, and counts as waiting until it gets through',
  async t => {
    const network = new Network(['lost', 'lost']);
    const outbox = network.createOutbox();
    const shown: string[] = [];
    outbox.onChange(() => shown.push(...outbox.getItems().map(getShownState)));
    outbox.add('a', note('later'));
    await network.run();
    t.strictSame(bodies(network.received), ['later']);
    t.strictSame([...new Set(shown)], ['waiting', 'sending']);
    t.equal(shown.lastIndexOf('sending'), 1, 'only the first try is shown as one');
    t.equal(shown.length, 6);
  },
);

t.test('when the server is there again, nobody waits for the next try', async t => {
  const network = new Network([]);
  const outbox = network.createOutbox();
  network.isDown = true;
  outbox.add('a', note('first'));
  outbox.add('b', note('elsewhere'));
  await Promise.resolve();
  t.match(outbox.getItems(), [{ state: 'waiting' }, { state: 'waiting' }]);
  network.isDown = false;
  outbox.resume();
  t.strictSame(bodies(network.received), ['first', 'elsewhere']);
});

t.test('what the stream shows to have arrived is not sent again', async t => {
  const network = new Network(['unanswered']);
  const outbox = network.createOutbox();
  outbox.add('a', note('once'));
  await Promise.resolve();
  outbox.remove('key-1');
  await network.run();
  t.equal(network.tries.length, 1);
  t.strictSame(outbox.getItems(), []);
});

t.test('what has waited longer than its key is honoured is not sent by itself', async t => {
  const network = new Network([]);
  const outbox = network.createOutbox();
  network.isDown = true;
  outbox.add('a', note('yesterday'));
  outbox.add('a', note('after it'));
  await Promise.resolve();
  network.at = 24 * hour;
  network.isDown = false;
  outbox.resume();
  await network.run();
  t.match(outbox.getItems(), [{ state: 'refused', problem: 'tooOld' }, { state: 'waiting' }]);
  t.equal(network.tries.length, 1, 'only when it was new');
  outbox.remove('key-1');
  await network.run();
  t.match(outbox.getItems(), [{ state: 'refused', problem: 'tooOld' }]);
  outbox.retry('key-2');
  await network.run();
  t.strictSame(bodies(network.received), ['after it']);
});

t.test('what came without an answer a day ago is found where it is, and does not go out twice', async t => {
  const network = new Network(['unanswered']);
  const outbox = network.createOutbox();
  outbox.add('a', note('yesterday'));
  await Promise.resolve();
  outbox.stop();
  network.at = 30 * hour;
  const next = network.createOutbox();
  next.flush();
  await network.run();
  t.equal(network.looks, 1);
  t.strictSame(next.getItems(), []);
  t.strictSame(bodies(network.received), ['yesterday']);
});

t.test('what an older page has refused for its age is looked for before it leaves', async t => {
  const network = new Network([]);
  const sent = network.createOutbox();
  sent.add('a', note('yesterday'));
  await network.run();
  const [{ afterSequence: _none, ...item }] = network.received as [Outgoing];
  network.kept = JSON.stringify([{ ...item, state: 'refused', problem: 'tooOld' }]);
  network.at = 48 * hour;
  const next = network.createOutbox();
  next.retry(item.key);
  await network.run();
  t.strictSame(next.getItems(), []);
  t.strictSame(bodies(network.received), ['yesterday']);
});

t.test('a message that a colleague has sent once more, however long ago, is not sent again', async t => {
  const network = new Network([]);
  network.createOutbox().addAgain(note('failed'), failed);
  await network.run();
  network.kept = null;
  network.at = 72 * hour;
  const mine = network.createOutbox();
  mine.addAgain(note('failed'), failed);
  await network.run();
  t.strictSame(mine.getItems(), []);
  t.strictSame(bodies(network.received), ['failed']);
});

t.test('a tab and its copy: what waits in both leaves once, in order, whatever is lost', async () => {
  const outcome = fc.constantFrom<Outcome>('lost', 'unanswered', 'underWay', 'busy', 'accepted');
  const step = fc.record({
    tab: fc.nat(1),
    does: fc.constantFrom('online', 'offline', 'write', 'reload', 'run'),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(outcome, { maxLength: 12 }),
      fc.nat(3),
      fc.array(step, { maxLength: 12 }),
      async (outcomes, count, steps) => {
        const network = new Network(outcomes);
        const first = network.createOutbox();
        network.isDown = true;
        const shared = Array.from({ length: count }, (_each, index) => `shared ${index}`);
        for (const body of shared) first.add('a', note(body));
        // A browser copies what a tab has kept.
        const tabs: Tab[] = [network, { kept: network.kept }];
        const outboxes = [first, network.createOutbox(tabs[1])];
        const own: string[][] = [[], []];
        for (const [index, { tab, does }] of steps.entries()) {
          const outbox = outboxes[tab];
          if (does === 'run') await network.run();
          else if (does === 'reload') {
            outbox?.stop();
            outboxes[tab] = network.createOutbox(tabs[tab]);
          } else if (does === 'write') {
            own[tab]?.push(`own ${index}`);
            outbox?.add('a', note(`own ${index}`));
          } else {
            network.isDown = does === 'offline';
            if (!network.isDown) outbox?.resume();
          }
        }
        network.isDown = false;
        for (const outbox of outboxes) outbox.resume();
        await network.run();
        const received = bodies(network.received);
        const isInOrder = (texts: readonly string[]): boolean =>
          String(received.filter(body => texts.includes(body))) === String(texts);
        return (
          outboxes.every(outbox => outbox.getItems().length === 0) &&
          received.length === count + (own[0]?.length ?? 0) + (own[1]?.length ?? 0) &&
          own.every(texts => isInOrder([...shared, ...texts]))
        );
      },
    ),
  );
});

t.test('what was refused in a tab and its copy is sent again once, whoever does so', async t => {
  const network = new Network(['refused']);
  const outbox = network.createOutbox();
  outbox.add('a', note('refused'));
  await network.run();
  const copy = network.createOutbox({ kept: network.kept });
  for (const each of [outbox, copy]) {
    each.retry('key-1');
    await network.run();
    t.strictSame(each.getItems(), []);
  }
  t.strictSame(bodies(network.received), ['refused']);
});

t.test('what was damaged stays until somebody knows of it, whatever else is sent', async t => {
  const network = new Network([]);
  network.kept = JSON.stringify([{ content: { body: 'half' } }]);
  const outbox = network.createOutbox();
  outbox.add('a', note('whole'));
  await network.run();
  t.strictSame(network.createOutbox().getDamaged(), ['half']);
  outbox.forgetDamaged();
  t.strictSame(network.createOutbox().getDamaged(), []);
});

t.test(
  'that its conversation is archived is told by the code, and not in the words of the server',
  async t => {
    const network = new Network(['archived']);
    const outbox = network.createOutbox();
    outbox.add('a', note('first'));
    await network.run();
    t.match(outbox.getItems(), [{ state: 'refused', problem: 'archived' }]);
  },
);
