/** Models that fail as real ones do: what is tried again, what is reported of the rest, and that nothing is left behind. */
import t from 'tap';
import { answer, Receiver, silence } from '../../../support/receiver.ts';
import {
  answered,
  chunk,
  getFailure,
  hello,
  open,
  receiverFor,
  start,
  stream,
  untilTimers,
  usage,
  createModelFixture,
} from './model-fixture.ts';

t.test('limits of rate and failures that pass are tried again, when the provider wants it', async t => {
  const receiver = await receiverFor(t);
  const fixture = createModelFixture(receiver.url('/v1'));
  const error = (status: number, headers: Record<string, string> = {}) =>
    answer(status, headers, JSON.stringify({ error: { message: `no ${status}` } }));
  const cases = [
    { behaviour: error(429, { 'retry-after': '7' }), wait: 7_000 },
    { behaviour: error(429, { 'retry-after': new Date(start + 20_000).toUTCString() }), wait: 13_000 },
    { behaviour: error(503, { 'retry-after-ms': '250' }), wait: 250 },
  ];
  receiver.behaviour = (request, response) => {
    const next = cases[receiver.received.length - 1];
    (next?.behaviour ?? hello)(request, response);
  };
  const asked = fixture.ask();
  for (const [index, { wait }] of cases.entries()) {
    await receiver.arrived(index + 1);
    await untilTimers(fixture, 1);
    await fixture.clock.advance(wait - 1);
    t.equal(fixture.clock.pending, 1, 'not before its time');
    await fixture.clock.advance(1);
  }
  t.equal(answered(await asked).text, 'Hello.');
  t.equal(fixture.clock.pending, 0, 'no timer is left');
  const ends = ['rate_limited', 'rate_limited', 'server_error', 'succeeded'];
  t.strictSame(
    fixture.attempts,
    ends.map(end => `llm_provider_1 ${end}`),
    'each attempt is counted',
  );
});

t.test('failures and timeouts have stable codes', async t => {
  const receiver = await receiverFor(t);
  const cases: readonly (readonly [number, object, string, ended: string, attempts: number])[] = [
    [429, { message: 'slow down' }, 'rate_limited', 'rate_limited', 4],
    [429, { message: 'no money', code: 'insufficient_quota' }, 'rate_limited', 'rate_limited', 1],
    [402, { message: 'no money' }, 'rate_limited', 'rate_limited', 1],
    [400, { message: 'no money', type: 'billing_error' }, 'rate_limited', 'rate_limited', 1],
    [500, { message: 'oops' }, 'provider_error', 'server_error', 4],
    [529, { message: 'overloaded' }, 'provider_error', 'server_error', 4],
    [403, { message: 'not yours' }, 'key_rejected', 'credentials_refused', 1],
    [404, { message: 'no such model' }, 'configuration', 'refused', 1],
    [302, { message: 'elsewhere' }, 'provider_error', 'server_error', 4],
    [400, { message: 'x', code: 'context_length_exceeded' }, 'context_too_long', 'refused', 1],
    [
      400,
      { message: 'prompt is too long: 210000 tokens > 200000 maximum' },
      'context_too_long',
      'refused',
      1,
    ],
    [400, { message: 'x', code: 'content_filter' }, 'refused', 'refused', 1],
    [400, { message: 'temperature is too hot' }, 'configuration', 'refused', 1],
  ];
  for (const [status, error, errorCode, ended, attempts] of cases) {
    const fixture = createModelFixture(receiver.url('/v1'));
    const before = receiver.received.length;
    receiver.behaviour = answer(status, { location: '/elsewhere' }, JSON.stringify({ error }));
    const asked = fixture.ask();
    for (let attempt = 1; attempt < attempts; attempt++) {
      await receiver.arrived(before + attempt);
      await untilTimers(fixture, 1);
      await fixture.clock.advance(10_000);
    }
    t.equal(getFailure(await asked).errorCode, errorCode, `${status} ${JSON.stringify(error)}`);
    t.equal(receiver.received.length - before, attempts);
    t.strictSame(fixture.attempts, new Array<string>(attempts).fill(`llm_provider_1 ${ended}`));
  }
  receiver.behaviour = answer(429, { 'retry-after': '120' }, '{"error":{"message":"later"}}');
  const late = await createModelFixture(receiver.url('/v1')).ask();
  t.match(getFailure(late), { errorCode: 'rate_limited', errorMessage: /later$/ }, 'beyond the deadline');
});

t.test('a model that hangs, before its answer and within it', async t => {
  const receiver = await receiverFor(t);
  const fixture = createModelFixture(receiver.url('/v1'));
  const closed = new Promise<void>(resolve => {
    receiver.behaviour = (request, response) => {
      response.on('close', resolve);
      if (receiver.received.length === 1) return silence(request, response);
      open(response);
      response.write(chunk({ role: 'assistant', content: 'I think' }));
    };
  });
  const asked = fixture.ask();
  await receiver.arrived(1);
  await fixture.clock.advance(60_000);
  await closed;
  await untilTimers(fixture, 1);
  await fixture.clock.advance(1_000);
  await receiver.arrived(2);
  while (fixture.deltas.length === 0) await fixture.clock.flush();
  await fixture.clock.advance(60_000);
  t.match(getFailure(await asked), { errorCode: 'timeout' }, 'the deadline comes first');
  t.strictSame(fixture.attempts, ['llm_provider_1 timeout', 'llm_provider_1 timeout']);
  t.equal(fixture.clock.now(), start + 121_000);
  t.equal(fixture.clock.pending, 0);
});

t.test('a stream that breaks is tried again, and is not shown twice', async t => {
  const receiver = await receiverFor(t);
  const fixture = createModelFixture(receiver.url('/v1'));
  receiver.behaviour = (request, response) => {
    const { length } = receiver.received;
    if (length > 2) return hello(request, response);
    open(response);
    response.write(chunk({ role: 'assistant', content: 'Hel' }), () => {
      if (length === 1) response.destroy();
      else response.end();
    });
  };
  const asked = fixture.ask();
  for (const number of [1, 2]) {
    await receiver.arrived(number);
    await untilTimers(fixture, 1);
    await fixture.clock.advance(10_000);
  }
  t.equal(answered(await asked).text, 'Hello.');
  t.equal(fixture.deltas.join(''), 'Hel');
});

t.test('an error within the stream', async t => {
  const receiver = await receiverFor(t);
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
  receiver.behaviour = (_request, response) => {
    open(response);
    response.end(`event: error\ndata: ${JSON.stringify(error)}\n\n`);
  };
  const fixture = createModelFixture(receiver.url('/v1'));
  const asked = fixture.ask({ provider: 'llm_provider_2', model: 'claude-sonnet-4-5' });
  for (const number of [1, 2, 3]) {
    await receiver.arrived(number);
    await untilTimers(fixture, 1);
    await fixture.clock.advance(10_000);
  }
  t.match(getFailure(await asked), { errorCode: 'provider_error', errorMessage: /Overloaded/ });
});

t.test('refusals, empty answers, nonsense and endless answers', async t => {
  const receiver = await receiverFor(t);
  const fixture = createModelFixture(receiver.url('/v1'));
  const getCode = async (): Promise<string> => getFailure(await fixture.ask()).errorCode;
  receiver.behaviour = stream(chunk({ role: 'assistant', refusal: 'I will not.' }), chunk({}, 'stop'));
  t.equal(await getCode(), 'refused');
  receiver.behaviour = stream(chunk({ role: 'assistant', content: 'Well,' }), chunk({}, 'content_filter'));
  t.equal(await getCode(), 'refused');
  receiver.behaviour = stream(chunk({ role: 'assistant', content: ' \n' }), chunk({}, 'stop'));
  t.equal(await getCode(), 'empty_answer');
  receiver.behaviour = stream('data: {"choices": "many"}\n\n');
  t.equal(await getCode(), 'invalid_answer');
  receiver.behaviour = stream('data: {not json\n\n');
  t.equal(await getCode(), 'invalid_answer');
  const page = chunk({ content: 'x'.repeat(50_000) });
  receiver.behaviour = stream(...Array.from({ length: 21 }, () => page), chunk({}, 'stop'));
  t.match(getFailure(await fixture.ask()), {
    errorCode: 'invalid_answer',
    errorMessage: 'the answer does not end',
  });
});

t.test(
  'an answer that is none is paid for all the same, and so are those before the one that is',
  async t => {
    const receiver = await receiverFor(t);
    const fixture = createModelFixture(receiver.url('/v1'));
    const used = usage(1_000_000, 10_000);
    const use = { promptTokens: 1_000_000, completionTokens: 10_000, costMicros: 156_000 };
    const wanted = Array.from({ length: 129 }, (_, index) => ({
      index,
      id: `call_${index}`,
      type: 'function',
      function: { name: 'look_up', arguments: '{}' },
    }));
    for (const [errorCode, behaviour] of [
      ['refused', stream(chunk({ content: 'Well,' }), chunk({}, 'content_filter'), used)],
      ['empty_answer', stream(chunk({ content: '' }), chunk({}, 'stop'), used)],
      ['invalid_answer', stream(chunk({ tool_calls: wanted }), chunk({}, 'tool_calls'), used)],
    ] as const) {
      receiver.behaviour = behaviour;
      t.match(getFailure(await fixture.ask()), { errorCode, use });
    }
    const before = receiver.received.length;
    const brokenOff = stream(chunk({ content: 'Hel' }), used);
    receiver.behaviour = (request, response) =>
      (receiver.received.length === before + 1
        ? brokenOff
        : stream(chunk({ content: 'Hello.' }, 'stop'), used))(request, response);
    const asked = fixture.ask();
    await receiver.arrived(before + 1);
    await untilTimers(fixture, 1);
    await fixture.clock.advance(10_000);
    t.match(answered(await asked), {
      promptTokens: 2_000_000,
      completionTokens: 20_000,
      costMicros: 312_000,
    });
    receiver.behaviour = brokenOff;
    // No time for a second attempt.
    const failure = getFailure(await fixture.ask({}, { deadline: fixture.clock.now() + 1_000 }));
    t.match(failure, { errorCode: 'provider_error', use });
  },
);

t.test('a provider that is not there', async t => {
  const receiver = await Receiver.start();
  const url = receiver.url('/v1');
  await receiver.stop();
  for (const [where, words] of [
    [url, 'connection refused'],
    ['http://nowhere.invalid/v1', 'the host name does not resolve'],
  ] as const) {
    const fixture = createModelFixture(where);
    // No time for a second attempt.
    const failure = getFailure(await fixture.ask({}, { deadline: start + 1_000 }));
    t.match(failure, { errorCode: 'unreachable', errorMessage: `the provider cannot be reached: ${words}` });
    t.notMatch(failure.errorMessage, /127\.0\.0\.1|nowhere/, 'nothing of ours');
    t.strictSame(fixture.attempts, ['llm_provider_1 unreachable']);
  }
});

t.test('a cancelled step ends the request and rejects with the reason', async t => {
  const receiver = await receiverFor(t);
  const cancelled = new Error('cancelled');
  const closed = new Promise<void>(resolve => {
    receiver.behaviour = (_request, response) => {
      response.on('close', resolve);
      open(response);
      response.write(chunk({ content: 'Hel' }));
    };
  });
  const fixture = createModelFixture(receiver.url('/v1'));
  const controller = new AbortController();
  const asked = fixture.ask({}, {}, controller.signal);
  while (fixture.deltas.length === 0) await fixture.clock.flush();
  controller.abort(cancelled);
  await t.rejects(asked, cancelled);
  await closed;
  t.equal(fixture.clock.pending, 0);
  await t.rejects(fixture.ask({}, {}, AbortSignal.abort(cancelled)), cancelled);
  // In the wait between two attempts.
  receiver.behaviour = answer(500, {}, '{}');
  const again = new AbortController();
  const waiting = fixture.ask({}, {}, again.signal);
  await receiver.arrived(2);
  await untilTimers(fixture, 1);
  again.abort(cancelled);
  await t.rejects(waiting, cancelled);
  t.equal(fixture.clock.pending, 0);
});
