/**
 * What is kept of a model's answer and sent with the next step: the exact form of the messages, which are stored and outlive versions of the
 * library, and what providers sign.
 */
import t from 'tap';
import type { Plan } from '../../../../actors/run/services.ts';
import type { Behaviour, Receiver } from '../../../support/receiver.ts';
import {
  answered,
  chunk,
  getFailure,
  open,
  receiverFor,
  stream,
  createModelFixture,
} from './model-fixture.ts';

const claude = { provider: 'llm_provider_2', model: 'claude-sonnet-4-5' } as const;
const gemini = { provider: 'llm_provider_3', model: 'gemini-3-pro-preview' } as const;

function events(...all: readonly object[]): Behaviour {
  return (_request, response) => {
    open(response);
    response.end(all.map(event => `data: ${JSON.stringify(event)}\n\n`).join(''));
  };
}

/** A block of Anthropic's answers. */
function block(index: number, content: object, ...deltas: readonly object[]): object[] {
  return [
    { type: 'content_block_start', index, content_block: content },
    ...deltas.map(delta => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

const begun = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude',
    content: [],
    stop_reason: null,
    usage: {
      input_tokens: 20,
      output_tokens: 1,
      cache_read_input_tokens: 300,
      cache_creation_input_tokens: 7,
    },
  },
};

/** Through the database and back, as a run keeps them. */
function stored(messages: readonly unknown[]): unknown[] {
  return JSON.parse(JSON.stringify(messages)) as unknown[];
}

function getResult(toolCallId: string): object {
  const output = { type: 'json', value: { ships: 'tomorrow' } };
  return { type: 'tool-result', toolCallId, toolName: 'look_up', output };
}

/** The body of the request that a model is sent with these turns. */
async function sent(receiver: Receiver, plan: Partial<Plan>, turns: readonly unknown[]): Promise<unknown> {
  await createModelFixture(receiver.url('/v1')).ask(plan, { turns });
  return JSON.parse(receiver.received.at(-1)?.body ?? '');
}

t.test('OpenAI: text and calls, whatever their arguments', async t => {
  const receiver = await receiverFor(t);
  const call = (index: number, id: string, name: string, input: string) => ({
    index,
    id,
    type: 'function',
    function: { name, arguments: input },
  });
  receiver.behaviour = stream(
    chunk({ role: 'assistant', content: 'Let me ' }),
    chunk({ content: 'see.' }),
    chunk({ tool_calls: [call(0, 'a', 'look_up', '{"orderId":')] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '"A17"}' } }] }),
    chunk({ tool_calls: [call(1, 'b', 'look_up', '{"x'), call(2, 'c', 'none', '{"y":1}')] }),
    chunk({ tool_calls: [call(3, 'd', 'look_up', ''), call(4, 'e', 'look_up', '"text"')] }),
    chunk({}, 'tool_calls'),
  );
  const said = answered(await createModelFixture(receiver.url('/v1')).ask());
  const kept = (toolCallId: string, toolName: string, input: unknown) => ({
    type: 'tool-call',
    toolCallId,
    toolName,
    input,
  });
  t.strictSame(stored(said.messages), [
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Let me see.' },
        kept('a', 'look_up', { orderId: 'A17' }),
        kept('b', 'look_up', {}),
        kept('c', 'none', { y: 1 }),
        kept('d', 'look_up', {}),
        kept('e', 'look_up', 'text'),
      ],
    },
  ]);
  const turns = [
    ...stored(said.messages),
    { role: 'tool', content: ['a', 'b', 'c', 'd', 'e'].map(getResult) },
  ];
  t.match(await sent(receiver, {}, turns), {
    messages: [
      { role: 'system', content: 'You help.' },
      { role: 'user', content: 'where is my order?' },
      {
        role: 'assistant',
        content: 'Let me see.',
        tool_calls: [{ id: 'a', function: { name: 'look_up', arguments: '{"orderId":"A17"}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: '{"ships":"tomorrow"}' },
    ],
  });
});

t.test('Anthropic: thoughts with their signatures, and tokens of its cache', async t => {
  const receiver = await receiverFor(t);
  receiver.behaviour = events(
    begun,
    ...block(
      0,
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: 'Hm, ' },
      { type: 'thinking_delta', thinking: 'an order.' },
      { type: 'signature_delta', signature: 'c2lnbmVk' },
    ),
    ...block(1, { type: 'redacted_thinking', data: 'cmVk' }),
    ...block(2, { type: 'text', text: '' }, { type: 'text_delta', text: 'I look it up.' }),
    ...block(
      3,
      { type: 'tool_use', id: 'toolu_1', name: 'look_up', input: {} },
      { type: 'input_json_delta', partial_json: '{"orderId":' },
      { type: 'input_json_delta', partial_json: '"A17"}' },
    ),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 40 } },
    { type: 'message_stop' },
  );
  const said = answered(await createModelFixture(receiver.url('/v1')).ask(claude));
  t.match(said, { finishReason: 'tool-calls', promptTokens: 327, completionTokens: 40 });
  // 20 at 3 dollars a million, 300 of the cache at 0.3, 7 into the cache at 3.75, and 40 at 15.
  t.equal(said.costMicros, 776);
  const messages = stored(said.messages);
  t.match(messages, [
    {
      role: 'assistant',
      content: [
        // The library's own, of which the provider is told nothing.
        { type: 'custom', kind: 'anthropic.message_start' },
        {
          type: 'reasoning',
          text: 'Hm, an order.',
          providerOptions: { anthropic: { signature: 'c2lnbmVk' } },
        },
        { type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: 'cmVk' } } },
        { type: 'text', text: 'I look it up.' },
        { type: 'tool-call', toolCallId: 'toolu_1', toolName: 'look_up', input: { orderId: 'A17' } },
      ],
    },
  ]);
  const body = await sent(receiver, claude, [...messages, { role: 'tool', content: [getResult('toolu_1')] }]);
  t.match(body, {
    messages: [
      { role: 'user' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm, an order.', signature: 'c2lnbmVk' },
          { type: 'redacted_thinking', data: 'cmVk' },
          { type: 'text', text: 'I look it up.' },
          { type: 'tool_use', id: 'toolu_1', input: { orderId: 'A17' } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1' }] },
    ],
  });
});

t.test('Gemini: what it signs its thoughts with', async t => {
  const receiver = await receiverFor(t);
  const part = (parts: readonly object[], finishReason?: string) => ({
    candidates: [{ content: { role: 'model', parts }, finishReason, index: 0 }],
  });
  receiver.behaviour = events(
    part([{ text: 'An ', thought: true }]),
    part([{ text: 'order.', thought: true, thoughtSignature: 'dGhvdWdodA==' }]),
    part([{ text: 'I look ' }]),
    part([{ text: 'it up.', thoughtSignature: 'dGV4dA==' }]),
    part(
      [{ functionCall: { name: 'look_up', args: { orderId: 'A17' } }, thoughtSignature: 'Y2FsbA==' }],
      'STOP',
    ),
  );
  const { messages, calls } = answered(await createModelFixture(receiver.url('/v1beta')).ask(gemini));
  const result = getResult(calls[0]?.providerCallId ?? '');
  t.match(await sent(receiver, gemini, [...stored(messages), { role: 'tool', content: [result] }]), {
    contents: [
      { role: 'user' },
      {
        role: 'model',
        parts: [
          { text: 'An order.', thought: true, thoughtSignature: 'dGhvdWdodA==' },
          { text: 'I look it up.', thoughtSignature: 'dGV4dA==' },
          { functionCall: { args: { orderId: 'A17' } }, thoughtSignature: 'Y2FsbA==' },
        ],
      },
      { role: 'user', parts: [{ functionResponse: { name: 'look_up' } }] },
    ],
  });
});

t.test('an error within the answer ends the call, whatever the provider would still say', async t => {
  const receiver = await receiverFor(t);
  const closed = new Promise<void>(resolve => {
    receiver.behaviour = (_request, response) => {
      response.on('close', resolve);
      open(response);
      response.write(chunk({ content: 'Hel' }));
      response.write('data: {"error":{"message":"no money","code":"insufficient_quota"}}\n\n');
    };
  });
  const fixture = createModelFixture(receiver.url('/v1'));
  t.match(getFailure(await fixture.ask()), { errorCode: 'rate_limited', errorMessage: /no money/ });
  await closed;
  t.equal(fixture.clock.pending, 0);
});

t.test(
  'answers that are none: cut before a word is said, without a body, of a status beyond HTTP',
  async t => {
    const receiver = await receiverFor(t);
    const cases: readonly (readonly [Behaviour, string])[] = [
      [events(begun), 'provider_error'],
      [(_request, response) => void response.writeHead(204).end(), 'invalid_answer'],
      [(_request, response) => void response.writeHead(999).end('no'), 'provider_error'],
    ];
    for (const [behaviour, errorCode] of cases) {
      receiver.behaviour = behaviour;
      // No time for a second attempt.
      const fixture = createModelFixture(receiver.url('/v1'));
      const outcome = await fixture.ask(claude, { deadline: fixture.clock.now() + 1_000 });
      t.equal(getFailure(outcome).errorCode, errorCode);
    }
  },
);
