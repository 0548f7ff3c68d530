/** Models, asked over real wires: those of the three providers, and those of servers that are as bad as real ones are. */
import { LLMock } from '@copilotkit/aimock';
import t, { type Test } from 'tap';
import { defaultModelUrls } from '../../actors/run/models/urls.ts';
import { providers } from '../../protocol/resources/byok.ts';
import { answer, Receiver, silence } from '../support/receiver.ts';
import {
  answered,
  calls,
  chunk,
  credential,
  failureOf,
  hello,
  key,
  olderKey,
  open,
  start,
  stream,
  worldAt,
} from './model-fixture.ts';

async function receiverFor(t: Test): Promise<Receiver> {
  const receiver = await Receiver.start();
  t.teardown(() => receiver.stop());
  return receiver;
}

/** Resolves when nothing but that many timers is awaited: a model that is being asked has two, a wait has one. */
async function untilTimers(world: ReturnType<typeof worldAt>, count: number): Promise<void> {
  while (world.clock.pending !== count) await world.clock.flush();
}

const models = {
  llm_provider_1: 'gpt-4o-mini',
  llm_provider_2: 'claude-sonnet-4-5',
  llm_provider_3: 'gemini-2.5-flash',
};
const paths = { llm_provider_1: '/v1', llm_provider_2: '/v1', llm_provider_3: '/v1beta' };

t.test('all three wire formats: a call, its result, the answer, and what it costs', async t => {
  const mock = new LLMock({ port: 0, strict: true });
  const usage = { prompt_tokens: 1_000, completion_tokens: 100 };
  const call = { toolCalls: [{ id: 'call_1', name: 'look_up', arguments: { orderId: 'A17' } }], usage };
  // Gemini says `STOP` also for calls.
  mock.on({ userMessage: /order/, hasToolResult: false, model: /gemini/ }, { ...call, finishReason: 'stop' });
  mock.on({ userMessage: /order/, hasToolResult: false }, call);
  mock.on({ userMessage: /order/, hasToolResult: true }, { content: 'It ships tomorrow.', usage });
  await mock.start();
  t.teardown(() => mock.stop());
  for (const provider of providers) {
    const world = worldAt(mock.url + paths[provider]);
    const plan = { provider, model: models[provider], maxTokens: 200, temperature: 0.5 };
    const first = answered(await world.ask(plan));
    t.match(first, {
      text: '',
      calls: [{ name: 'look_up', toolId: 'tool_1', arguments: { orderId: 'A17' } }],
      promptTokens: 1_000,
      completionTokens: 100,
    });
    t.equal(first.calls[0]?.refusal, undefined);
    t.ok(first.promptCharacters > 100, 'the whole body is counted');
    t.ok((first.costMicros ?? 0) > 0, `${provider} has a price`);
    // Through the database and back, as a run keeps it.
    const turns = JSON.parse(JSON.stringify(first.messages)) as unknown[];
    turns.push({
      role: 'tool',
      content: [
        {
          ...{ type: 'tool-result', toolCallId: first.calls[0]?.providerCallId, toolName: 'look_up' },
          output: { type: 'json', value: { ships: 'tomorrow' } },
        },
      ],
    });
    const second = answered(await world.ask(plan, { turns }));
    t.match(second, { text: 'It ships tomorrow.', calls: [] });
    t.equal(world.deltas.join(''), 'It ships tomorrow.', 'pieces of text are shown');
    t.same(world.used, ['byok_1', 'byok_1']);
  }
  const unknown = worldAt(`${mock.url}/v1`);
  t.equal(answered(await unknown.ask({ model: 'no-such-model' })).costMicros, null, 'no price is known');
});

t.test('keys and addresses of the process environment are never used', async t => {
  const receiver = await receiverFor(t);
  receiver.behaviour = answer(401, { 'content-type': 'application/json' }, '{"error":{"message":"no"}}');
  const lure = await receiverFor(t);
  const names = {
    OPENAI_API_KEY: 'sk-of-the-process',
    OPENAI_BASE_URL: lure.url('/v1'),
    ANTHROPIC_API_KEY: 'sk-of-the-process',
    ANTHROPIC_AUTH_TOKEN: 'sk-of-the-process',
    ANTHROPIC_BASE_URL: lure.url('/v1'),
    GOOGLE_GENERATIVE_AI_API_KEY: 'sk-of-the-process',
    AI_GATEWAY_API_KEY: 'sk-of-the-process',
  };
  Object.assign(process.env, names);
  t.teardown(() => Object.keys(names).forEach(name => delete process.env[name]));
  for (const provider of providers) {
    await worldAt(receiver.url('/v1')).ask({ provider, model: models[provider] });
    for (const keys of [[], ['']]) {
      const { failure } = {
        failure: failureOf(
          await worldAt(receiver.url()).ask({ provider, credential: { resource: credential, keys } }),
        ),
      };
      t.equal(failure.errorCode, 'key_rejected', 'no key is no key');
    }
  }
  t.equal(receiver.received.length, providers.length, 'without a key nothing is sent');
  t.equal(lure.connections, 0);
  const headers = JSON.stringify(receiver.received.map(({ headers: sent }) => sent));
  t.notMatch(headers, /of-the-process/);
  t.equal(headers.split(key).length - 1, providers.length, 'each has the key that was given');
  t.same(Object.keys(defaultModelUrls), [...providers], 'each has an address');
});

t.test(
  'a key that is not taken: the one before it while its grace lasts; nobody is told the key',
  async t => {
    const receiver = await receiverFor(t);
    receiver.behaviour = (request, response) => {
      if (request.headers.authorization === `Bearer ${olderKey}`) return hello(request, response);
      const echo = `Incorrect API key provided: ${key}`;
      answer(
        401,
        {},
        JSON.stringify({ error: { message: echo, code: 'invalid_api_key' } }),
      )(request, response);
    };
    const world = worldAt(receiver.url('/v1'));
    const both = await world.ask({ credential: { resource: credential, keys: [key, olderKey] } });
    t.equal(answered(both).text, 'Hello.');
    const failure = failureOf(await world.ask());
    t.equal(failure.errorCode, 'key_rejected');
    t.same(failure.rejected, credential);
    t.match(failure.errorMessage, 'Incorrect API key provided: [redacted]');
    t.notMatch(JSON.stringify(failure), key);
    const late = `${'x'.repeat(485)}${key}`;
    receiver.behaviour = answer(400, {}, JSON.stringify({ error: { message: `${late}${'y'.repeat(100)}` } }));
    const cut = failureOf(await world.ask()).errorMessage;
    t.equal(cut.length, 500);
    t.notMatch(cut, key.slice(0, 3), 'taken out before the message is cut');
    const unfit = failureOf(await world.ask({ credential: { resource: credential, keys: ['sk-\nbad'] } }));
    t.equal(unfit.errorCode, 'key_rejected');
    t.notMatch(unfit.errorMessage, /bad/);
    // Gemini answers 400 and says it in the details.
    const details = [{ '@type': 'x', reason: 'API_KEY_INVALID' }];
    receiver.behaviour = answer(
      400,
      {},
      JSON.stringify({
        error: { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT', details },
      }),
    );
    t.equal(failureOf(await world.ask({ provider: 'llm_provider_3' })).errorCode, 'key_rejected');
  },
);

t.test('the use of a key is noted once a minute', async t => {
  const receiver = await receiverFor(t);
  receiver.behaviour = hello;
  const world = worldAt(receiver.url('/v1'));
  const used = (ago: number) => ({ ...credential, lastUsedAt: new Date(start - ago).toISOString() });
  await world.ask({ credential: { resource: used(59_000), keys: [key] } });
  t.same(world.used, []);
  await world.ask({ credential: { resource: used(61_000), keys: [key] } });
  t.same(world.used, ['byok_1']);
});

t.test('limits of rate and failures that pass are tried again, when the provider wants it', async t => {
  const receiver = await receiverFor(t);
  const world = worldAt(receiver.url('/v1'));
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
  const asked = world.ask();
  for (const [index, { wait }] of cases.entries()) {
    await receiver.arrived(index + 1);
    await untilTimers(world, 1);
    await world.clock.advance(wait - 1);
    t.equal(world.clock.pending, 1, 'not before its time');
    await world.clock.advance(1);
  }
  t.equal(answered(await asked).text, 'Hello.');
  t.equal(world.clock.pending, 0, 'no timer is left');
});

t.test('what does not pass in time, or at all, has a stable code', async t => {
  const receiver = await receiverFor(t);
  const cases: readonly (readonly [number, object, string, attempts: number])[] = [
    [429, { message: 'slow down' }, 'rate_limited', 4],
    [429, { message: 'no money', code: 'insufficient_quota' }, 'rate_limited', 1],
    [500, { message: 'oops' }, 'provider_error', 4],
    [529, { message: 'overloaded' }, 'provider_error', 4],
    [403, { message: 'not yours' }, 'key_rejected', 1],
    [404, { message: 'no such model' }, 'configuration', 1],
    [302, { message: 'elsewhere' }, 'provider_error', 4],
    [400, { message: 'x', code: 'context_length_exceeded' }, 'context_too_long', 1],
    [400, { message: 'prompt is too long: 210000 tokens > 200000 maximum' }, 'context_too_long', 1],
    [400, { message: 'x', code: 'content_filter' }, 'refused', 1],
    [400, { message: 'temperature is too hot' }, 'configuration', 1],
  ];
  for (const [status, error, errorCode, attempts] of cases) {
    const world = worldAt(receiver.url('/v1'));
    const before = receiver.received.length;
    receiver.behaviour = answer(status, { location: '/elsewhere' }, JSON.stringify({ error }));
    const asked = world.ask();
    for (let attempt = 1; attempt < attempts; attempt++) {
      await receiver.arrived(before + attempt);
      await untilTimers(world, 1);
      await world.clock.advance(10_000);
    }
    t.equal(failureOf(await asked).errorCode, errorCode, `${status} ${JSON.stringify(error)}`);
    t.equal(receiver.received.length - before, attempts);
  }
  receiver.behaviour = answer(429, { 'retry-after': '120' }, '{"error":{"message":"later"}}');
  const late = await worldAt(receiver.url('/v1')).ask();
  t.match(failureOf(late), { errorCode: 'rate_limited', errorMessage: /later$/ }, 'beyond the deadline');
});

t.test('a model that hangs, before its answer and within it', async t => {
  const receiver = await receiverFor(t);
  const world = worldAt(receiver.url('/v1'));
  const closed = new Promise<void>(resolve => {
    receiver.behaviour = (request, response) => {
      response.on('close', resolve);
      if (receiver.received.length === 1) return silence(request, response);
      open(response);
      response.write(chunk({ role: 'assistant', content: 'I think' }));
    };
  });
  const asked = world.ask();
  await receiver.arrived(1);
  await world.clock.advance(60_000);
  await closed;
  await untilTimers(world, 1);
  await world.clock.advance(1_000);
  await receiver.arrived(2);
  while (world.deltas.length === 0) await world.clock.flush();
  await world.clock.advance(60_000);
  t.match(failureOf(await asked), { errorCode: 'timeout' }, 'the deadline comes first');
  t.equal(world.clock.now(), start + 121_000);
  t.equal(world.clock.pending, 0);
});

t.test('a stream that breaks is tried again, and is not shown twice', async t => {
  const receiver = await receiverFor(t);
  const world = worldAt(receiver.url('/v1'));
  receiver.behaviour = (request, response) => {
    const { length } = receiver.received;
    if (length > 2) return hello(request, response);
    open(response);
    response.write(chunk({ role: 'assistant', content: 'Hel' }), () => {
      if (length === 1) response.destroy();
      else response.end();
    });
  };
  const asked = world.ask();
  for (const number of [1, 2]) {
    await receiver.arrived(number);
    await untilTimers(world, 1);
    await world.clock.advance(10_000);
  }
  t.equal(answered(await asked).text, 'Hello.');
  t.equal(world.deltas.join(''), 'Hel');
});

t.test('an error within the stream', async t => {
  const receiver = await receiverFor(t);
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
  receiver.behaviour = (_request, response) => {
    open(response);
    response.end(`event: error\ndata: ${JSON.stringify(error)}\n\n`);
  };
  const world = worldAt(receiver.url('/v1'));
  const asked = world.ask({ provider: 'llm_provider_2', model: 'claude-sonnet-4-5' });
  for (const number of [1, 2, 3]) {
    await receiver.arrived(number);
    await untilTimers(world, 1);
    await world.clock.advance(10_000);
  }
  t.match(failureOf(await asked), { errorCode: 'provider_error', errorMessage: /Overloaded/ });
});

t.test('calls that cannot be made are refused one by one, and told to the model', async t => {
  const receiver = await receiverFor(t);
  receiver.behaviour = calls(
    { name: 'look_up', input: '{"orderId":' },
    { name: 'look_down', input: '{}' },
    { name: 'look_up', input: '{"orderId":"far too long"}' },
    { name: 'look_up', input: '{"orderId":"A17"}' },
  );
  const said = answered(await worldAt(receiver.url('/v1')).ask());
  t.match(said.calls, [
    { toolId: 'tool_1', refusal: 'the arguments are not valid JSON', arguments: '{"orderId":' },
    { toolId: null, refusal: 'there is no such tool', name: 'look_down' },
    { toolId: 'tool_1', refusal: /^the arguments do not fit: \/orderId must/ },
    { toolId: 'tool_1', arguments: { orderId: 'A17' } },
  ]);
  t.equal(said.calls[3]?.refusal, undefined);
  t.match(said.messages, [{ role: 'assistant' }], 'results are for the run to tell');
  t.equal(said.messages.length, 1);
  const flood = (length: number) =>
    calls(...Array.from({ length }, () => ({ name: 'look_up', input: '{"orderId":"A"}' })));
  receiver.behaviour = flood(128);
  t.equal(answered(await worldAt(receiver.url('/v1')).ask()).calls.length, 128);
  receiver.behaviour = flood(129);
  t.match(failureOf(await worldAt(receiver.url('/v1')).ask()), {
    ...{ errorCode: 'invalid_answer', errorMessage: 'the model wants more than 128 calls at once' },
  });
});

t.test('a model that asks for a human hands over, whatever else it wants', async t => {
  const receiver = await receiverFor(t);
  receiver.behaviour = calls(
    { name: 'look_up', input: '{"orderId":"A17"}' },
    { name: 'request_human', input: '{"reason":" An angry customer. "}' },
  );
  const world = worldAt(receiver.url('/v1'));
  t.match(answered(await world.ask()), { handoff: { reason: 'An angry customer.' }, calls: [] });
  t.match(receiver.received[0]?.body, /"name":"request_human"/);
  receiver.behaviour = calls({ name: 'request_human', input: 'nonsense' });
  t.match(answered(await world.ask()), { handoff: { reason: 'nonsense' } });
});

t.test('refusals, empty answers, nonsense and endless answers', async t => {
  const receiver = await receiverFor(t);
  const world = worldAt(receiver.url('/v1'));
  const codeOf = async (): Promise<string> => failureOf(await world.ask()).errorCode;
  receiver.behaviour = stream(chunk({ role: 'assistant', refusal: 'I will not.' }), chunk({}, 'stop'));
  t.equal(await codeOf(), 'refused');
  receiver.behaviour = stream(chunk({ role: 'assistant', content: 'Well,' }), chunk({}, 'content_filter'));
  t.equal(await codeOf(), 'refused');
  receiver.behaviour = stream(chunk({ role: 'assistant', content: ' \n' }), chunk({}, 'stop'));
  t.equal(await codeOf(), 'empty_answer');
  receiver.behaviour = stream('data: {"choices": "many"}\n\n');
  t.equal(await codeOf(), 'invalid_answer');
  receiver.behaviour = stream('data: {not json\n\n');
  t.equal(await codeOf(), 'invalid_answer');
  const page = chunk({ content: 'x'.repeat(50_000) });
  receiver.behaviour = stream(...Array.from({ length: 21 }, () => page), chunk({}, 'stop'));
  t.match(failureOf(await world.ask()), {
    errorCode: 'invalid_answer',
    errorMessage: 'the answer does not end',
  });
});

t.test('an answer over the limit of a message is an answer; what cannot be stored is replaced', async t => {
  const receiver = await receiverFor(t);
  receiver.behaviour = stream(
    chunk({ content: 'x'.repeat(20_000) }),
    chunk({ content: 'a\0b\ud800' }, 'length'),
  );
  const said = answered(await worldAt(receiver.url('/v1')).ask());
  t.equal(said.text.length, 20_004);
  t.ok(said.text.endsWith('a\ufffdb\ufffd'));
  t.notMatch(JSON.stringify(said.messages), /\\u0000|\\ud800/);
  t.match(said, { finishReason: 'length', promptTokens: null, costMicros: null });
});

t.test('a provider that is not there', async t => {
  const receiver = await Receiver.start();
  const url = receiver.url('/v1');
  await receiver.stop();
  for (const [where, words] of [
    [url, 'connection refused'],
    ['http://nowhere.invalid/v1', 'the host name does not resolve'],
  ] as const) {
    const world = worldAt(where);
    // No time for a second attempt.
    const failure = failureOf(await world.ask({}, { deadline: start + 1_000 }));
    t.match(failure, { errorCode: 'unreachable', errorMessage: `the provider cannot be reached: ${words}` });
    t.notMatch(failure.errorMessage, /127\.0\.0\.1|nowhere/, 'nothing of ours');
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
  const world = worldAt(receiver.url('/v1'));
  const controller = new AbortController();
  const asked = world.ask({}, {}, controller.signal);
  while (world.deltas.length === 0) await world.clock.flush();
  controller.abort(cancelled);
  await t.rejects(asked, cancelled);
  await closed;
  t.equal(world.clock.pending, 0);
  await t.rejects(world.ask({}, {}, AbortSignal.abort(cancelled)), cancelled);
  // In the wait between two attempts.
  receiver.behaviour = answer(500, {}, '{}');
  const again = new AbortController();
  const waiting = world.ask({}, {}, again.signal);
  await receiver.arrived(2);
  await untilTimers(world, 1);
  again.abort(cancelled);
  await t.rejects(waiting, cancelled);
  t.equal(world.clock.pending, 0);
});
