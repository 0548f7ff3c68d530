/** The tasks of runs on real nodes in virtual time: nothing is asked twice at once, what has ended is stopped, and nothing is lost. */
import assert from 'node:assert/strict';
import fc from '../../../support/fuzz.ts';
import t from 'tap';
import Value from 'typebox/value';
import { eventTypes } from '../../../../protocol/events.ts';
import { hasEnded, resumeEveryMs } from '../../../../actors/run/state.ts';
import { seeded } from '../../../support/seeded.ts';
import { tenancy } from '../run-harness.ts';
import { RunNodes, saying, takes, type Model } from '../run-nodes.ts';

const cancel = { ...tenancy, by: 'request', reason: 'enough' };

t.test('nodes that die or stand still at any moment: the run ends, and no call is repeated', async t => {
  const failures = fc.array(
    fc.record({
      afterMs: fc.integer({ min: 0, max: 9_000 }),
      wakesAfterMs: fc.option(fc.integer({ min: 0, max: 40_000 })),
    }),
    { maxLength: 4 },
  );
  let calls = 0;
  await fc.assert(
    fc.asyncProperty(failures, fc.nat(), async (failures, seed) => {
      const random = seeded(seed);
      const nodes: RunNodes = new RunNodes({
        model: async (order, signal) => {
          await takes(nodes.clock, 100 + random.next() * 2_000, signal);
          return order.step < 4
            ? saying('', 2, random.next() < 0.5 ? 'tool_once' : 'tool_thrice')
            : saying('Done.');
        },
        tool: async (_, __, signal) => {
          await takes(nodes.clock, 10 + random.next() * 3_000, signal);
          return random.next() < 0.7;
        },
        store: { latencyMs: () => 1 + random.next() * 5 },
      });
      await nodes.start();
      await nodes.begin();
      for (const { afterMs, wakesAfterMs } of failures) {
        await nodes.clock.advance(afterMs);
        await nodes.fail();
        if (wakesAfterMs !== null) nodes.clock.after(wakesAfterMs, () => nodes.wake());
      }
      for (let waited = 0; !hasEnded(nodes.state.status) && waited < 300; waited++)
        await nodes.clock.advance(1_000);
      await nodes.clock.advance(60_000);
      const { status, trace } = nodes.state;
      assert.ok(hasEnded(status), 'a run that never ends');
      assert.deepEqual(nodes.wrongs, []);
      assert.deepEqual(
        nodes.heard,
        status === 'succeeded' ? { answers: 1, ends: 0 } : { answers: 0, ends: 1 },
      );
      for (const { toolCalls } of trace.steps) {
        for (const { callId, attempts } of toolCalls) {
          const made = nodes.attempts.get(callId)?.length ?? 0;
          assert.ok(made <= attempts, 'an attempt that was not committed');
          calls++;
        }
      }
      assert.equal(nodes.node.runs.inFlight, 0);
      await nodes.stop();
    }),
    { numRuns: 30 },
  );
  t.ok(calls > 60);
});

t.test('a step in flight is not asked again by a reminder', async t => {
  let asked = 0;
  const nodes: RunNodes = new RunNodes({
    model: async (_, signal) => {
      asked++;
      await takes(nodes.clock, resumeEveryMs * 4, signal);
      return saying('Done.');
    },
  });
  await nodes.start();
  await nodes.begin();
  await nodes.clock.advance(resumeEveryMs * 5);
  t.equal(nodes.state.status, 'succeeded');
  t.equal(asked, 1);
  await nodes.stop();
});

t.test('cancelling stops the model, and the tools', async t => {
  for (const phase of ['thinking', 'calling']) {
    const signals: AbortSignal[] = [];
    const hang = async (signal: AbortSignal): Promise<never> => {
      signals.push(signal);
      await takes(nodes.clock, 100_000, signal);
      throw new Error('it was not stopped');
    };
    const nodes: RunNodes = new RunNodes({
      model: (_, signal) => (phase === 'thinking' ? hang(signal) : Promise.resolve(saying('', 2))),
      tool: (_, __, signal) => hang(signal),
    });
    await nodes.start();
    await nodes.begin();
    await nodes.clock.advance(1_000);
    t.equal(nodes.state.phase, phase);
    t.ok(nodes.node.runs.inFlight > 0);
    await nodes.ask('cancel', cancel);
    await nodes.clock.advance(1);
    t.ok(signals.every(({ aborted }) => aborted));
    t.equal(nodes.node.runs.inFlight, 0);
    t.equal(nodes.state.status, 'cancelled');
    t.strictSame(nodes.heard, { answers: 0, ends: 1 });
    t.strictSame(nodes.node.testNode.metrics.counters.deadLetters, 0);
    await nodes.stop();
  }
});

t.test('a draining node finishes requests in flight and begins none', async t => {
  const steps: number[] = [];
  const model: Model = async (order, signal) => {
    steps.push(order.step);
    await takes(nodes.clock, 1_000, signal);
    return order.step < 3 ? saying('', 1) : saying('Done.');
  };
  const nodes: RunNodes = new RunNodes({ model });
  await nodes.start();
  await nodes.begin();
  await nodes.clock.advance(500);
  nodes.node.runs.drain();
  await nodes.clock.until(nodes.node.testNode.node.drain());
  t.match(nodes.state, { phase: 'thinking', trace: { steps: [{ toolCalls: [{ status: 'succeeded' }] }] } });
  t.strictSame(steps, [1]);
  await nodes.start();
  await nodes.clock.advance(20_000);
  t.equal(nodes.state.status, 'succeeded');
  t.strictSame(steps, [1, 2, 3]);
  await nodes.clock.until(nodes.node.testNode.node.drain());
});

t.test('a model that does not answer while its node drains is asked again by the next node', async t => {
  let asked = 0;
  const nodes: RunNodes = new RunNodes({
    model: async (_, signal) => {
      if (++asked === 1) await takes(nodes.clock, 100_000, signal);
      return saying('Done.');
    },
  });
  await nodes.start();
  await nodes.begin();
  await nodes.clock.advance(500);
  nodes.node.runs.drain();
  const drained = nodes.node.testNode.node.drain();
  nodes.node.runs.giveUp();
  await nodes.clock.until(drained);
  t.equal(nodes.state.status, 'running');
  await nodes.start();
  await nodes.clock.advance(20_000);
  t.equal(nodes.state.status, 'succeeded');
  t.equal(asked, 2);
  await nodes.clock.until(nodes.node.testNode.node.drain());
});

t.test('output is shown piece by piece, in batches', async t => {
  const nodes: RunNodes = new RunNodes({
    model: async ({ step }, signal, onDelta) => {
      if (step === 2) {
        onDelta('Done.');
        return saying('Done.');
      }
      for (let i = 0; i < 10; i++) onDelta('word ');
      await takes(nodes.clock, 49, signal);
      onDelta('more ');
      await takes(nodes.clock, 100, signal);
      onDelta('x'.repeat(300));
      onDelta('the end');
      return saying('One moment.', 1);
    },
  });
  await nodes.start();
  await nodes.begin();
  await nodes.clock.advance(1_000);
  const data = nodes.shown.map(
    text =>
      (JSON.parse(text) as { data: { delta: string; agentRunId: string; step: number; offset: number } })
        .data,
  );
  t.strictSame(
    data.map(({ delta, step, offset }) => [step, offset, delta]),
    [
      [1, 0, 'word '.repeat(10) + 'more '],
      [1, 55, 'x'.repeat(300)],
      [1, 355, 'the end'],
      [1, 362, ''],
      [2, 0, 'Done.'],
    ],
    'pieces say where they belong, and an empty one ends what comes before a call',
  );
  t.ok(data.every(({ agentRunId }) => agentRunId === nodes.runId));
  for (const each of data) t.ok(Value.Check(eventTypes['agent.output.delta'].data, each));
  await nodes.stop();
});

t.test('the output shown of one step is limited', async t => {
  const nodes = new RunNodes({
    model: (_, __, onDelta) => {
      for (let i = 0; i < 1_000; i++) onDelta('x'.repeat(1_000));
      return Promise.resolve(saying('Done.'));
    },
  });
  await nodes.start();
  await nodes.begin();
  await nodes.clock.advance(1_000);
  t.ok(nodes.shown.length > 10 && nodes.shown.length < 100);
  await nodes.stop();
});

t.test('budget and plan come before the model', async t => {
  const budget = { scope: 'run', limitMicros: 1, spentMicros: 2, fallsTo: 'suggest' } as const;
  const failure = { errorCode: 'byok_missing', errorMessage: 'There is no key.' } as const;
  const cases = {
    budget_exceeded: { budgets: { exceeded: () => Promise.resolve(budget) } },
    byok_missing: { plans: { createPlan: () => Promise.resolve({ failure }) } },
  };
  for (const [errorCode, services] of Object.entries(cases)) {
    const nodes = new RunNodes({ model: () => assert.fail('it was asked'), services });
    await nodes.start();
    await nodes.begin();
    await nodes.clock.advance(100);
    t.match(nodes.state, { status: 'failed', errorCode });
    await nodes.stop();
  }
});

t.test('the thread of a run over budget is told what its agent does by itself by now', async t => {
  const budget = { scope: 'run', limitMicros: 1, spentMicros: 2, fallsTo: 'suggest' } as const;
  for (const [mode, agentMode] of [
    ['suggest', 'suggest'],
    [null, 'paused'],
  ] as const) {
    const nodes = new RunNodes({
      model: () => assert.fail('it was asked'),
      services: {
        budgets: { exceeded: () => Promise.resolve(budget) },
        agents: { findCurrent: () => Promise.resolve({ mode, channelAgentId: null }) },
      },
    });
    await nodes.start();
    await nodes.begin();
    await nodes.clock.advance(100);
    t.match(nodes.heard, { ends: 1, agentMode });
    await nodes.stop();
  }
});

t.test('a database that is away for a while keeps a step waiting', async t => {
  let tries = 0;
  const nodes = new RunNodes({
    model: () => Promise.resolve(saying('Done.')),
    services: {
      budgets: {
        exceeded: () => (++tries < 4 ? Promise.reject(new Error('away')) : Promise.resolve(undefined)),
      },
    },
  });
  await nodes.start();
  await nodes.begin();
  await nodes.clock.advance(10_000);
  t.equal(nodes.state.status, 'succeeded');
  t.equal(tries, 4);
  await nodes.stop();
});

t.test('a defect ends the run, and is not paid for twice', async t => {
  let asked = 0;
  const thrown = new RunNodes({
    model: () => {
      asked++;
      return Promise.reject(new TypeError('a defect'));
    },
  });
  const refused = new RunNodes({
    model: () => {
      asked++;
      return Promise.resolve(saying('what the database does not take'));
    },
    store: {
      fault: ({ snapshot }) =>
        JSON.stringify(snapshot?.state ?? null).includes('does not take') ? new RangeError('no') : undefined,
    },
  });
  for (const nodes of [thrown, refused]) {
    asked = 0;
    await nodes.start();
    await nodes.begin();
    await nodes.clock.advance(20_000);
    t.match(nodes.state, { status: 'failed', errorCode: 'internal_error' });
    t.equal(asked, 1);
    await nodes.stop();
  }
});

t.test('an answer that its thread refuses is offered again, with what the rows say by then', async t => {
  let read = 0;
  const nodes: RunNodes = new RunNodes({
    model: () => Promise.resolve(saying('Done.')),
    services: {
      agents: {
        findCurrent: () => Promise.resolve({ mode: read++ < 2 ? 'auto' : 'suggest', channelAgentId: null }),
      },
    },
    changes: 2,
  });
  await nodes.start();
  await nodes.begin();
  await nodes.clock.advance(resumeEveryMs);
  t.equal(nodes.state.status, 'succeeded');
  t.equal(read, 3);
  t.strictSame(nodes.heard, { answers: 1, ends: 0 });
  await nodes.stop();
});

t.test('a run whose thread was removed ends, and offers its answer once', async t => {
  let read = 0;
  const nodes: RunNodes = new RunNodes({
    model: () => Promise.resolve(saying('Done.')),
    services: {
      agents: {
        findCurrent: () => {
          read++;
          return Promise.resolve({ mode: 'auto', channelAgentId: null });
        },
      },
    },
    isThreadGone: true,
  });
  await nodes.start();
  await nodes.begin();
  await nodes.clock.advance(resumeEveryMs);
  t.match(nodes.state, { status: 'cancelled', errorMessage: 'The thread was removed.' });
  t.equal(read, 1);
  t.equal(nodes.node.testNode.metrics.counters.deadLetters, 0);
  await nodes.stop();
});

t.test('an answer whose node dies before the thread has it is offered by the next', async t => {
  const nodes: RunNodes = new RunNodes({
    model: () => Promise.resolve(saying('Done.')),
    services: { agents: { findCurrent: () => Promise.reject(new Error('the database is away')) } },
  });
  await nodes.start();
  await nodes.begin();
  await nodes.clock.advance(60_000);
  t.equal(nodes.state.phase, 'answering');
  t.strictSame(nodes.heard, { answers: 0, ends: 0 });
  nodes.services = {};
  await nodes.fail();
  await nodes.clock.advance(resumeEveryMs);
  t.equal(nodes.state.status, 'succeeded');
  t.strictSame(nodes.heard, { answers: 1, ends: 0 });
  await nodes.stop();
});
