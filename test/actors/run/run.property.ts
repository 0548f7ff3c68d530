/** Invariants of a run under every interleaving that fast-check finds: crashes, repeated and late commands. */
import assert from 'node:assert/strict';
import fc from '../../support/fuzz.ts';
import type { Test } from 'tap';
import { runCommand } from '../../../actors/run/commands.ts';
import { newId } from '../../../protocol/ids.ts';
import type { Suggestion } from '../../../actors/run/trace.ts';
import { askingTool, maxAttemptMs, outcome, RunHarness, tenancy, wanted } from './run-harness.ts';

type Step = (run: RunHarness) => void;

const weighted = (weight: number, arbitrary: fc.Arbitrary<Step>) => ({ weight, arbitrary });
const index = fc.nat(1_000);
/** Any machine that has ever had the run: mostly the one that has it. */
const machine = fc.oneof({ weight: 2, arbitrary: fc.constant(-1) }, { weight: 1, arbitrary: index });

const on = (run: RunHarness, index: number): RunHarness['here'] =>
  index < 0 ? run.here : (run.machines[index % run.machines.length] ?? run.here);

const call = fc
  .tuple(fc.constantFrom('tool_once', 'tool_thrice', askingTool, null), fc.nat(99), fc.boolean())
  .map(([toolId, n, isRefused]) => wanted(toolId, n, isRefused && n < 20 ? 'no such tool' : undefined));

const work = machine.map(
  (index): Step =>
    run =>
      run.work(on(run, index)),
);
const wants = fc.tuple(fc.array(call, { minLength: 1, maxLength: 4 }), machine).map(
  ([calls, index]): Step =>
    run =>
      run.answer({ calls }, on(run, index)),
);
const says = fc.tuple(fc.constantFrom('', '  ', 'Good day.'), fc.boolean(), machine).map(
  ([text, asks, index]): Step =>
    run =>
      run.answer(asks ? { text, handoff: { reason: 'too hard' } } : { text }, on(run, index)),
);
const fails = fc.tuple(fc.constantFrom('rate_limited', 'byok_missing', 'refused'), machine).map(
  ([code, index]): Step =>
    run =>
      run.fail(code as 'refused', on(run, index)),
);
const tool = fc.tuple(fc.boolean(), machine).map(
  ([succeeds, index]): Step =>
    run =>
      run.tool(succeeds, on(run, index)),
);
const pass = fc
  .oneof(fc.integer({ min: 1, max: 6_000 }), fc.constant(maxAttemptMs), fc.integer({ min: 1, max: 150_000 }))
  .map(
    (ms): Step =>
      run =>
        run.pass(ms),
  );
const move = fc.boolean().map(
  (isDead): Step =>
    run =>
      run.move(isDead),
);
/** Something that was said once is said again, as it was. */
const again = index.map((index): Step => run => {
  const earlier = run.said[index % Math.max(1, run.said.length)];
  if (earlier !== undefined) run.say(earlier.command, earlier.payload as never);
});
/** A word on a call that comes from nowhere. */
const late = fc.tuple(index, fc.boolean()).map(([index, succeeds]): Step => run => {
  const callId = [...run.made.keys()][index % Math.max(1, run.made.size)];
  if (callId !== undefined)
    run.say(runCommand.toolCompleted, outcome(callId, succeeds ? 'succeeded' : 'failed'));
});
const cancel = fc.constantFrom('request', 'thread').map(
  (by): Step =>
    run =>
      run.say('cancel', { ...tenancy, by: by as 'thread', reason: 'enough' }),
);

const suggestion: Suggestion = {
  status: 'pending',
  body: 'Good day.',
  basedOnSequence: 1,
  createdAt: new Date(0).toISOString(),
};
const answerDecided = fc
  .constantFrom('sent', 'suggested', 'superseded', 'cancelled')
  .map((verdict): Step => run => {
    if (!run.told.some(({ command }) => command === 'takeAnswer')) return;
    const outcome = verdict as 'sent';
    const isKept = verdict === 'suggested' || verdict === 'superseded';
    const status = verdict === 'suggested' ? 'pending' : 'superseded';
    run.say(runCommand.answerDecided, {
      ...tenancy,
      outcome,
      ...(outcome === 'sent' ? { messageId: newId('message') } : {}),
      ...(isKept ? { suggestion: { ...suggestion, status } } : {}),
    });
  });
/** A person decides about a call of the newest step, whether it waits or not. */
const resolve = fc
  .tuple(fc.nat(3), fc.constantFrom('approve', 'approve', 'refuse'))
  .map(([index, action]): Step => run => {
    const callId = run.calls[index]?.callId ?? 'none';
    const author = { type: 'user', id: newId('user') } as const;
    run.say('resolveCall', { ...tenancy, callId, action: action as 'approve', author });
  });
const takeOver = fc.constant<Step>(run => run.say('humanTookOver', tenancy));
const settle = fc.constantFrom('approved', 'discarded').map((status): Step => run => {
  const resolvedAt = new Date(run.now).toISOString();
  run.say('settleSuggestion', {
    ...tenancy,
    settlement: { status: status as 'approved', resolvedAt, resolvedByUserId: newId('user') },
  });
});

const steps = fc.array(
  fc.oneof(
    weighted(14, work),
    weighted(8, wants),
    weighted(3, says),
    weighted(1, fails),
    weighted(10, tool),
    weighted(4, pass),
    weighted(3, move),
    weighted(4, again),
    weighted(3, late),
    weighted(1, cancel),
    weighted(3, answerDecided),
    weighted(1, settle),
    weighted(5, resolve),
    weighted(1, takeOver),
  ),
  { minLength: 1, maxLength: 120 },
);

/** Random histories of runs. */
export function testRuns(t: Test, numRuns: number): void {
  t.test('whatever happens, the invariants hold, and every run ends', async () => {
    let ends: Record<string, number> = {};
    fc.assert(
      fc.property(steps, fc.boolean(), (steps, hasThread) => {
        const run = hasThread ? new RunHarness() : new RunHarness(null);
        run.begin();
        for (const step of steps) step(run);
        run.letGo();
        assert.ok(run.hasEnded, 'a run that never ends');
        const { status, errorCode } = run.state;
        const end = errorCode ?? status;
        ends = { ...ends, [end]: (ends[end] ?? 0) + 1 };
        // Long after: nothing is left to wake it.
        assert.equal(run.reminders.size, 0);
      }),
      { numRuns },
    );
    // The property is worth nothing where the runs do not get anywhere.
    for (const end of [
      'succeeded',
      'cancelled',
      'timeout',
      'internal_error',
      'empty_answer',
      'byok_missing',
    ]) {
      assert.ok((ends[end] ?? 0) > 0, `no run has ended as ${end}`);
    }
  });

  t.test('a run that is killed between any two of its steps ends as if it had not been', async t => {
    for (let killed = 0; killed < 12; killed++) {
      const run = new RunHarness();
      run.begin();
      let moves = 0;
      for (let turn = 0; turn < 200 && run.state.phase !== 'answering'; turn++) {
        if (moves++ === killed) run.move(true);
        if (run.here.tasks.length > 0) run.work();
        else if (run.here.calls.length > 0) run.tool(true);
        else if (run.here.steps.length > 0) {
          const { length } = run.state.trace.steps;
          run.answer(
            length < 3 ? { calls: [wanted('tool_thrice', 1), wanted('tool_thrice', 2)] } : { text: 'Done.' },
          );
        } else run.pass(5_000);
      }
      t.equal(run.state.phase, 'answering', `killed after ${killed}`);
      t.strictSame(
        run.state.trace.steps.map(({ toolCalls }) => toolCalls.map(({ status }) => status)),
        [...Array.from({ length: 3 }, () => ['succeeded', 'succeeded']), []],
      );
      t.strictSame(
        run.told.map(({ command }) => command),
        ['takeAnswer'],
      );
    }
  });

  t.test('calls beyond the limit of a step are reported to the model only', t => {
    const run = new RunHarness();
    run.begin();
    while (run.here.steps.length === 0) run.work();
    run.answer({ calls: Array.from({ length: 100 }, (_, n) => wanted('tool_once', n)) });
    while (run.here.tasks.length > 0) run.work();
    t.equal(run.here.calls.length, 16);
    while (run.here.calls.length > 0) run.tool(true);
    t.equal(run.calls.filter(({ error }) => error?.startsWith('not made: no more than 16 calls')).length, 84);
    t.equal(run.events.filter(({ name }) => name.startsWith('agent.tool.')).length, 16);
    t.match(run.state.turns.at(-1), { content: { length: 100 } }, 'each call has its result');
    t.end();
  });
}
