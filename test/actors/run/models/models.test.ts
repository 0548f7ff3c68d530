/** Models, asked over real connections: what is asked, with which key, and what becomes of the answer. */
import { LLMock } from '@copilotkit/aimock';
import t from 'tap';
import { defaultModelUrls } from '../../../../actors/run/models/urls.ts';
import { providers } from '../../../../protocol/resources/byok.ts';
import { answer } from '../../../support/receiver.ts';
import {
  answered,
  calls,
  chunk,
  credential,
  getFailure,
  hello,
  key,
  olderKey,
  receiverFor,
  start,
  stream,
  createModelFixture,
} from './model-fixture.ts';

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
    const fixture = createModelFixture(mock.url + paths[provider]);
    const plan = { provider, model: models[provider], maxTokens: 200, temperature: 0.5 };
    const first = answered(await fixture.ask(plan));
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
          type: 'tool-result',
          toolCallId: first.calls[0]?.providerCallId,
          toolName: 'look_up',
          output: { type: 'json', value: { ships: 'tomorrow' } },
        },
      ],
    });
    const second = answered(await fixture.ask(plan, { turns }));
    t.match(second, { text: 'It ships tomorrow.', calls: [] });
    t.equal(fixture.deltas.join(''), 'It ships tomorrow.', 'pieces of text are shown');
    t.same(fixture.used, ['byok_1', 'byok_1']);
  }
  const unknown = createModelFixture(`${mock.url}/v1`);
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
    await createModelFixture(receiver.url('/v1')).ask({ provider, model: models[provider] });
    for (const keys of [[], ['']]) {
      const { failure } = {
        failure: getFailure(
          await createModelFixture(receiver.url()).ask({
            provider,
            credential: { resource: credential, keys },
          }),
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

t.test("a model's name leads to no other address of the provider's host", async t => {
  const receiver = await receiverFor(t);
  receiver.behaviour = answer(401, { 'content-type': 'application/json' }, '{"error":{"message":"no"}}');
  const { ask } = createModelFixture(receiver.url('/v1beta'));
  const getCode = async (model: string): Promise<string> =>
    getFailure(await ask({ provider: 'llm_provider_3', model })).errorCode;
  const names = [
    'a/../../admin/x#',
    'a/../x',
    '..',
    './x',
    '/x',
    'x/',
    'a//b',
    'x?y',
    'x#y',
    'a\\..\\x',
    '%2e%2e/x',
    'x y',
  ];
  for (const name of names) t.equal(await getCode(name), 'configuration', name);
  t.equal(receiver.received.length, 0);
  for (const name of ['gemini-2.5-flash', 'tunedModels/ours', 'a..b/c:d@e'])
    t.equal(await getCode(name), 'key_rejected', name);
  const asked = (path: string) => `/v1beta/${path}:streamGenerateContent?alt=sse`;
  t.strictSame(
    receiver.received.map(({ path }) => path),
    ['models/gemini-2.5-flash', 'tunedModels/ours', 'a..b/c:d@e'].map(asked),
  );
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
    const fixture = createModelFixture(receiver.url('/v1'));
    const both = await fixture.ask({ credential: { resource: credential, keys: [key, olderKey] } });
    t.equal(answered(both).text, 'Hello.');
    const failure = getFailure(await fixture.ask());
    t.equal(failure.errorCode, 'key_rejected');
    t.same(failure.rejected, credential);
    t.match(failure.errorMessage, 'Incorrect API key provided: [redacted]');
    t.notMatch(JSON.stringify(failure), key);
    const late = `${'x'.repeat(485)}${key}`;
    receiver.behaviour = answer(400, {}, JSON.stringify({ error: { message: `${late}${'y'.repeat(100)}` } }));
    const cut = getFailure(await fixture.ask()).errorMessage;
    t.equal(cut.length, 500);
    t.notMatch(cut, key.slice(0, 3), 'taken out before the message is cut');
    const unfit = getFailure(await fixture.ask({ credential: { resource: credential, keys: ['sk-\nbad'] } }));
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
    t.equal(getFailure(await fixture.ask({ provider: 'llm_provider_3' })).errorCode, 'key_rejected');
  },
);

t.test('the use of a key is noted once a minute', async t => {
  const receiver = await receiverFor(t);
  receiver.behaviour = hello;
  const fixture = createModelFixture(receiver.url('/v1'));
  const used = (ago: number) => ({ ...credential, lastUsedAt: new Date(start - ago).toISOString() });
  await fixture.ask({ credential: { resource: used(59_000), keys: [key] } });
  t.same(fixture.used, []);
  await fixture.ask({ credential: { resource: used(61_000), keys: [key] } });
  t.same(fixture.used, ['byok_1']);
});

t.test('calls that cannot be made are refused one by one, and told to the model', async t => {
  const receiver = await receiverFor(t);
  receiver.behaviour = calls(
    { name: 'look_up', input: '{"orderId":' },
    { name: 'look_down', input: '{}' },
    { name: 'look_up', input: '{"orderId":"far too long"}' },
    { name: 'look_up', input: '{"orderId":"A17"}' },
  );
  const said = answered(await createModelFixture(receiver.url('/v1')).ask());
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
  t.equal(answered(await createModelFixture(receiver.url('/v1')).ask()).calls.length, 128);
  receiver.behaviour = flood(129);
  t.match(getFailure(await createModelFixture(receiver.url('/v1')).ask()), {
    errorCode: 'invalid_answer',
    errorMessage: 'the model wants more than 128 calls at once',
  });
});

t.test('a model that asks for a human hands over, whatever else it wants', async t => {
  const receiver = await receiverFor(t);
  receiver.behaviour = calls(
    { name: 'look_up', input: '{"orderId":"A17"}' },
    { name: 'request_human', input: '{"reason":" An angry customer. "}' },
  );
  const fixture = createModelFixture(receiver.url('/v1'));
  t.match(answered(await fixture.ask()), { handoff: { reason: 'An angry customer.' }, calls: [] });
  t.match(receiver.received[0]?.body, /"name":"request_human"/);
  receiver.behaviour = calls({ name: 'request_human', input: 'nonsense' });
  t.match(answered(await fixture.ask()), { handoff: { reason: 'nonsense' } });
});

t.test('an answer over the limit of a message is an answer; what cannot be stored is replaced', async t => {
  const receiver = await receiverFor(t);
  receiver.behaviour = stream(
    chunk({ content: 'x'.repeat(20_000) }),
    chunk({ content: 'a\0b\ud800' }, 'length'),
  );
  const said = answered(await createModelFixture(receiver.url('/v1')).ask());
  t.equal(said.text.length, 20_004);
  t.ok(said.text.endsWith('a\ufffdb\ufffd'));
  t.notMatch(JSON.stringify(said.messages), /\\u0000|\\ud800/);
  t.match(said, { finishReason: 'length', promptTokens: null, costMicros: null });
});
