/** Models in a worker thread: their output and cancellations get across, and a lost worker loses no question. */
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import t, { type Test } from 'tap';
import { ModelWorker, startModelWorker } from '../../../../actors/run/models/model-worker.ts';
import { silentLog } from '../../../../runtime/observability/log.ts';
import { systemClock } from '../../../../runtime/time/clock.ts';
import { Receiver } from '../../../support/receiver.ts';
import { answered, calls, hello, toOrder, createPlan } from './model-fixture.ts';

const order = () => toOrder({ deadline: Date.now() + 60_000 });

async function setUp(t: Test) {
  const receiver = await Receiver.start();
  const url = receiver.url('/v1');
  const used: string[] = [];
  const attempts: string[] = [];
  const threads: Worker[] = [];
  const models = new ModelWorker({
    urls: { llm_provider_1: url, llm_provider_2: url, llm_provider_3: url },
    clock: systemClock,
    log: silentLog,
    used: ({ byokCredentialId }) => {
      used.push(byokCredentialId);
      return Promise.resolve();
    },
    attempted: (provider, outcome) => void attempts.push(`${provider} ${outcome}`),
    start(data) {
      const thread = startModelWorker(data);
      threads.push(thread);
      return thread;
    },
  });
  t.teardown(async () => {
    await models.close();
    await receiver.stop();
  });
  return { receiver, models, used, attempts, threads };
}

t.test(
  'an answer comes piece by piece, calls are checked, and the use of the key and the end of the attempt are told',
  async t => {
    const { receiver, models, used, attempts } = await setUp(t);
    const deltas: string[] = [];
    const signal = new AbortController().signal;
    receiver.behaviour = hello;
    const answer = answered(await models.answer(createPlan(), order(), signal, text => deltas.push(text)));
    t.equal(answer.text, 'Hello.');
    t.equal(deltas.join(''), 'Hello.');
    t.strictSame(used, ['byok_1']);
    t.strictSame(attempts, ['llm_provider_1 succeeded']);
    receiver.behaviour = calls(
      { name: 'look_up', input: '{"orderId":"A17"}' },
      { name: 'none', input: '{}' },
    );
    const wanted = answered(await models.answer(createPlan(), order(), signal, () => undefined));
    t.match(wanted.calls, [
      { name: 'look_up', arguments: { orderId: 'A17' }, attemptMs: 5_000 },
      { name: 'none', toolId: null, refusal: 'there is no such tool' },
    ]);
  },
);

t.test('a question that is cancelled is cancelled at the model too', async t => {
  const { receiver, models } = await setUp(t);
  const control = new AbortController();
  let closed: Promise<unknown> | undefined;
  receiver.behaviour = (_request, response) => {
    closed = once(response, 'close');
  };
  const answer = models.answer(createPlan(), order(), control.signal, () => undefined);
  await receiver.arrived(1);
  control.abort(new Error('enough'));
  await t.rejects(answer, { message: 'enough' });
  await closed;
  await t.rejects(
    models.answer(createPlan(), order(), control.signal, () => undefined),
    { message: 'enough' },
    'nor is one asked that is cancelled already',
  );
});

t.test(
  'a thread that is lost loses no question, and one that takes two with it is not asked again',
  async t => {
    const { receiver, models, threads } = await setUp(t);
    const { signal } = new AbortController();
    const ask = () => models.answer(createPlan(), order(), signal, () => undefined);
    receiver.behaviour = () => void threads.at(-1)?.terminate();
    const lost = await ask();
    t.match(lost, { failure: { errorCode: 'internal_error' } });
    t.equal(receiver.received.length, 2);
    receiver.behaviour = (request, response) => {
      if (receiver.received.length === 3) void threads.at(-1)?.terminate();
      else hello(request, response);
    };
    t.equal(answered(await ask()).text, 'Hello.');
  },
);
