/** Many runs at once: their steps begin, and their answers are committed, one after another. */
import t from 'tap';
import { maxTurnMs, Throttle } from '../../../../actors/run/tasks/throttle.ts';
import type { Plan } from '../../../../actors/run/services.ts';
import { newId } from '../../../../protocol/ids.ts';
import { head, tenancy } from '../run-harness.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';
import { RunNodes, saying, takes } from '../run-nodes.ts';

const environments = [newId('environment'), newId('environment')];

interface Begun {
  readonly environmentId: string;
  readonly at: number;
}

class Fixture {
  readonly nodes: RunNodes;
  readonly begun: Begun[] = [];
  readonly #ids: string[] = [];

  /** A step is planned in that time. All models answer in the same moment, or when that is over: after so many milliseconds. */
  private constructor(planMs: number, answerMs: number) {
    this.nodes = new RunNodes({
      store: { latencyMs: () => 1 },
      model: async (_, signal) => {
        const { clock } = this.nodes;
        await takes(clock, Math.max(0, answerMs - clock.monotonic()), signal);
        return saying('Done.');
      },
      services: {
        plans: {
          createPlan: async ({ environmentId }) => {
            const { clock } = this.nodes;
            this.begun.push({ environmentId, at: clock.monotonic() });
            await takes(clock, planMs, new AbortController().signal);
            return { tools: [] } as unknown as Plan;
          },
        },
      },
    });
  }

  /** The shortest time between two beginnings in one environment. */
  get closest(): number {
    const gaps = environments.flatMap(environmentId => {
      const times = this.begun.filter(one => one.environmentId === environmentId).map(({ at }) => at);
      return times.slice(1).map((at, index) => at - (times[index] ?? 0));
    });
    return Math.min(...gaps);
  }

  /** With 40 runs begun in each environment. */
  static async begun(planMs: number, answerMs: number): Promise<Fixture> {
    const fixture = new Fixture(planMs, answerMs);
    await fixture.nodes.start();
    await fixture.#begin(40);
    return fixture;
  }

  /** So many in each environment, all at once. */
  async #begin(count: number): Promise<void> {
    const { node } = this.nodes.node.testNode;
    const beginnings = environments.flatMap(environmentId =>
      Array.from({ length: count }, () => {
        const id = newId('run');
        this.#ids.push(id);
        return node.ask({ kind: 'run', id }, 'begin', {
          ...tenancy,
          environmentId,
          threadId: null,
          head,
          inputMessageId: null,
          basedOnSequence: 0,
          metadata: {},
          author: { type: 'system', id: null },
        });
      }),
    );
    await this.nodes.clock.until(Promise.all(beginnings));
  }

  get ended(): number {
    const states = this.#ids.map(id => this.nodes.database.read({ kind: 'run', id })?.state);
    return states.filter(state => (state as { readonly status: string }).status === 'succeeded').length;
  }
}

t.test('steps begin one after another, and so are answers taken; environments side by side', async t => {
  const fixture = await Fixture.begun(3, 1_000);
  const { nodes } = fixture;
  // Had they one line, this were not enough.
  await nodes.clock.advance(40 * 3 + 50);
  t.equal(fixture.begun.length, 80);
  await nodes.clock.advance(999 - nodes.clock.monotonic());
  t.ok(fixture.closest >= 3, `${fixture.closest} ms`);
  t.equal(fixture.ended, 0);
  await nodes.clock.advance(20);
  t.ok(fixture.ended > 0 && fixture.ended < 40, `${fixture.ended} have ended`);
  await nodes.clock.advance(200);
  t.equal(fixture.ended, 80);
  await nodes.stop();
});

t.test('a slow step delays the next by a limited time', async t => {
  const fixture = await Fixture.begun(100, 1_000);
  const { nodes } = fixture;
  await nodes.clock.advance(40 * maxTurnMs);
  t.equal(fixture.begun.length, 80);
  t.ok(fixture.closest >= maxTurnMs, `${fixture.closest} ms`);
  await nodes.stop();
});

t.test('a node that drains begins none of those that wait, and takes every answer', async t => {
  const fixture = await Fixture.begun(3, 1_000);
  const { nodes } = fixture;
  await nodes.clock.advance(30);
  const begun = fixture.begun.length;
  t.ok(begun > 0 && begun < 40, `${begun} have begun`);
  nodes.node.runs.drain();
  await nodes.clock.advance(2_000);
  t.equal(fixture.begun.length, begun);
  // The one of each environment that is being planned is not asked any more.
  t.ok(fixture.ended >= begun - environments.length && fixture.ended <= begun);
  await nodes.stop();
});

t.test('answers that wait when a node begins to drain are all reported before it ends', async t => {
  const fixture = await Fixture.begun(3, 1_000);
  const { nodes } = fixture;
  await nodes.clock.advance(1_000 - nodes.clock.monotonic());
  t.ok(fixture.ended < 40, `${fixture.ended} have ended`);
  nodes.node.runs.drain();
  // As long as a commit takes.
  await nodes.clock.advance(20);
  nodes.node.runs.giveUp();
  t.equal(fixture.ended, 80);
  await nodes.stop();
});

t.test('a turn is released, whether the work succeeds or fails', async t => {
  const clock = new VirtualClock();
  const throttle = new Throttle(clock);
  const { signal } = new AbortController();
  const within = (work: () => Promise<string>, until = signal): Promise<string> =>
    throttle.run('a', until, work);

  await t.rejects(
    within(() => Promise.reject(new Error('at once'))),
    /at once/,
  );
  await t.rejects(
    within(() => {
      throw new Error('before it began');
    }),
    /before it began/,
  );

  const slow = Promise.withResolvers<string>();
  const first = within(() => slow.promise);
  const stopped = new AbortController();
  const left = within(() => Promise.resolve('never'), stopped.signal);
  const second = within(() => Promise.resolve('after it'));
  stopped.abort(new Error('enough'));
  await t.rejects(left, /enough/);
  await clock.advance(maxTurnMs);
  t.equal(await second, 'after it');
  slow.reject(new Error('late'));
  await t.rejects(first, /late/, 'who is late is heard by who asked');

  const open = Promise.withResolvers<string>();
  const waiting = [1, 2, 3].map(() => within(() => open.promise));
  throttle.open();
  open.resolve('all');
  t.same(await Promise.all(waiting), ['all', 'all', 'all']);
  t.equal(await within(() => Promise.resolve('at once')), 'at once');
});
