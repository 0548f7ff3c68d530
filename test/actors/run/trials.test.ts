/** Trials: their number is limited, fairly, and a node that ends ends them. */
import t from 'tap';
import type { ModelAnswer } from '../../../actors/run/commands.ts';
import type { ModelOutcome } from '../../../actors/run/services.ts';
import {
  createTrials,
  type TrialOrder,
  type TrialServices,
  type TrialUse,
} from '../../../actors/run/trials.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { createPlan } from './models/model-fixture.ts';

const hello: ModelAnswer = {
  text: 'Hello.',
  calls: [],
  messages: [],
  finishReason: 'stop',
  promptCharacters: 10,
  promptTokens: 7,
  completionTokens: 3,
  costMicros: null,
};

const toOrder = (environmentId: string): TrialOrder => ({
  projectId: 'prj_1',
  environmentId,
  loomId: 'loom_1',
  loomVersionId: 'lver_1',
  version: 1,
  provider: 'llm_provider_1',
  model: 'model-1',
  threadId: null,
  throughSequence: 0,
  messages: [],
  given: [],
  timeoutMs: 25_000,
});

/** Trials whose model answers when it is told to. */
function create(more: Partial<TrialServices> = {}) {
  const waiting: ((outcome: ModelOutcome) => void)[] = [];
  const used: TrialUse[] = [];
  const trials = createTrials({
    plans: { createPlan: () => Promise.resolve(createPlan()) },
    models: {
      answer: (_plan, _request, signal) =>
        new Promise((resolve, reject) => {
          waiting.push(resolve);
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
    },
    budgets: { exceeded: () => Promise.resolve(undefined) },
    findRecordedCall: () => Promise.resolve(undefined),
    recordUse: use => Promise.resolve(void used.push(use)),
    clock: new VirtualClock(0),
    ...more,
  });
  return { trials, waiting, used };
}

const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'answered',
    (error: unknown) => (error as { details?: { reason?: string } }).details?.reason,
  );

/** Until everything that waits for nothing but promises has been done. */
const settle = () => new Promise(resolve => setImmediate(resolve));

t.test('an environment has half of the places, and the next one still has some', async t => {
  const { trials, waiting } = create();
  const many = Array.from({ length: 32 }, () => trials.run(toOrder('env_1')));
  t.equal(await code(trials.run(toOrder('env_1'))), 'overloaded');
  const other = trials.run(toOrder('env_2'));
  await settle();
  t.equal(waiting.length, 33);
  for (const resolve of waiting) resolve(hello);
  t.match(await other, { status: 'succeeded', text: 'Hello.', totalTokens: 10, estimatedCostMicros: null });
  await Promise.all(many);
  const next = trials.run(toOrder('env_1'));
  await settle();
  waiting.at(-1)?.(hello);
  t.match(await next, { status: 'succeeded' }, 'places come back');
});

t.test('a node that ends ends them, and begins no more', async t => {
  const { trials } = create();
  const running = code(trials.run(toOrder('env_1')));
  await settle();
  trials.stop();
  t.equal(await running, 'draining');
  t.equal(await code(trials.run(toOrder('env_1'))), 'draining');
});

t.test('what a step that fails has used is committed, and shown', async t => {
  const { trials, waiting, used } = create();
  const running = trials.run(toOrder('env_1'));
  await settle();
  const use = { promptTokens: 7, completionTokens: 3, costMicros: 50 };
  waiting[0]?.({ failure: { errorCode: 'refused', errorMessage: 'No.', use } });
  t.match(await running, {
    status: 'failed',
    errorCode: 'refused',
    totalTokens: 10,
    estimatedCostMicros: 50,
  });
  t.match(used, [{ environmentId: 'env_1', model: 'gpt-4o-mini', ...use }]);
  const unknown = trials.run(toOrder('env_1'));
  await settle();
  waiting[1]?.({ failure: { errorCode: 'unreachable', errorMessage: 'No.' } });
  t.match(await unknown, { status: 'failed', totalTokens: null });
  t.equal(used.length, 1, 'nothing was used');
});

t.test('an answer whose cost cannot be committed is none', async t => {
  const { trials, waiting } = create({ recordUse: () => Promise.reject(new Error('the database is away')) });
  const running = trials.run(toOrder('env_1'));
  await settle();
  waiting[0]?.(hello);
  await t.rejects(running, { message: 'the database is away' });
});
