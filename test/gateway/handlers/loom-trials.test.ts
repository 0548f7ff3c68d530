/** Trials of looms: the answer, what it costs, and that nothing else happens. */
import t from 'tap';
import type { AgentRun } from '../../../protocol/resources/agent.ts';
import type { Budgets } from '../../../protocol/resources/budget.ts';
import type { Loom } from '../../../protocol/resources/loom.ts';
import type { LoomTrial } from '../../../protocol/resources/loom-trial.ts';
import type { Message } from '../../../protocol/resources/message.ts';
import type { Tool } from '../../../protocol/resources/tool.ts';
import type { UsageRow } from '../../../protocol/resources/usage.ts';
import type { ListOf, Refusal } from '../../node/client.ts';
import { eventually } from '../../support/eventually.ts';
import { answer, startReceiver } from '../../support/receiver.ts';
import { shareSkein } from '../../support/skein.ts';

interface Prompt {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

const chunk = (choices: readonly object[], usage: object = {}): string =>
  `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...usage })}\n\n`;

/** Wants `find_order` with the number that was asked for, and then says back what the tool has said; `again` wants it for ever. */
const models = await startReceiver(t);
const prompts: Prompt[] = [];
models.behaviour = ({ body }, response) => {
  const prompt = JSON.parse(body) as Prompt;
  prompts.push(prompt);
  if (prompt.model === 'silent') return;
  const said = prompt.messages.filter(({ role }) => role === 'user').at(-1)?.content;
  const number = /order (\w+)/.exec(JSON.stringify(said))?.[1];
  const told = prompt.messages.filter(({ role }) => role === 'tool').at(-1)?.content;
  const wants = number !== undefined && (told === undefined || prompt.model === 'again');
  const input = number === 'none' ? '{}' : JSON.stringify({ number });
  const call = {
    index: 0,
    id: 'call_1',
    type: 'function',
    function: { name: 'find_order', arguments: input },
  };
  const delta = wants
    ? { content: null, tool_calls: [call] }
    : { content: told === undefined ? 'Hello.' : `It says ${JSON.stringify(told)}` };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(chunk([{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: null }]));
  response.write(chunk([{ index: 0, delta: {}, finish_reason: wants ? 'tool_calls' : 'stop' }]));
  response.write(chunk([], { usage: { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 } }));
  response.end('data: [DONE]\n\n');
};

const shop = await startReceiver(t);
shop.behaviour = answer(200, { 'content-type': 'application/json' }, '{"status":"on its way"}');

const skein = await shareSkein(t);
const { database } = skein;
const { key, person, projectId, environmentId, channelId } = await skein.tenant();

const secret = skein.models.register(models.url('/v1'));
await person.get('createByokCredential', {
  body: { projectId, provider: 'llm_provider_1', displayName: 'Key', secret },
});
const inputSchema = { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] };
const { toolId } = await key.get<Tool>('createTool', {
  body: { projectId, name: 'find_order', url: shop.url('/orders'), inputSchema },
});
const definition = {
  systemPrompt: 'Help.',
  provider: 'llm_provider_1',
  model: 'gpt-4o-mini',
  toolIds: [toolId],
};
const newLoom = (more: object = {}): Promise<Loom> =>
  key.get('createLoom', { body: { projectId, name: 'Loom', ...definition, ...more } });

const { loomId, activeVersionId } = await newLoom();
const tryLoom = (body: object, of = loomId): Promise<LoomTrial> =>
  key.get('tryLoom', { params: { loomId: of }, body: { projectId, ...body } });
const says = (...texts: readonly string[]) =>
  texts.map((body, i) => ({ direction: i % 2 === 0 ? 'inbound' : 'outbound', body }));

/** Everything that a run would leave behind, and the thread as it is. */
async function traces(threadId = ''): Promise<unknown> {
  const [row] = await database.query(
    `select (select count(*)::int from events where project_id = $1) as events,
       (select count(*)::int from messages where project_id = $1) as messages,
       (select count(*)::int from agent_runs where project_id = $1) as runs,
       (select to_jsonb(t) from threads t where t.thread_id = $2) as thread`,
    [projectId, threadId],
  );
  return row;
}

/** A thread on which an agent of the loom has found that order. */
async function newAnsweredThread(number: string): Promise<{ threadId: string; messageId: string }> {
  const { agentId } = await key.get<{ agentId: string }>('createAgent', {
    body: { projectId, name: 'Agent', mode: 'suggest', loomId },
  });
  const message = await key.get<Message>('createInboundMessage', {
    params: { channelId },
    body: { projectId, externalParticipantRef: `customer-${number}`, body: `Where is order ${number}?` },
  });
  const { threadId, messageId } = message;
  const { agentRunId } = await key.get<AgentRun>('createAgentRun', {
    params: { agentId },
    body: { projectId, threadId },
  });
  await eventually('answer', async () => {
    const run = await key.get<AgentRun>('getAgentRun', { params: { agentRunId } });
    return run.status === 'succeeded' && run.trace.suggestion !== undefined;
  });
  return { threadId, messageId };
}

t.test('on a stored thread a call has the result that was recorded there, and nothing happens', async t => {
  const { threadId, messageId } = await newAnsweredThread('A17');
  const calls = shop.received.length;
  const before = await traces(threadId);
  const trial = await tryLoom({ threadId, toolResults: [{ toolId, result: { never: 'needed' } }] });
  t.match(trial, {
    loomVersionId: activeVersionId,
    version: 1,
    threadId,
    status: 'succeeded',
    text: /on its way/,
    promptTokens: 2_000,
    completionTokens: 200,
    totalTokens: 2_200,
    errorCode: null,
    steps: [
      {
        step: 1,
        finishReason: 'tool-calls',
        toolCalls: [
          {
            name: 'find_order',
            toolId,
            arguments: { number: 'A17' },
            stub: 'recorded',
            agentRunId: /^run_/,
            result: { status: 'on its way' },
            error: null,
          },
        ],
      },
      { step: 2, toolCalls: [] },
    ],
  });
  t.ok((trial.estimatedCostMicros ?? 0) > 0);
  t.equal(shop.received.length, calls, 'the tool was not called');
  t.strictSame(await traces(threadId), before);

  // What is said after the thread's messages comes after them; a call that was never made there is not known.
  const other = await tryLoom({ threadId, messages: says('And order B42?') });
  t.match(other.steps[0]?.toolCalls, [
    { arguments: { number: 'B42' }, stub: 'none', result: { notCalled: /^This is a trial/ } },
  ]);
  t.same(
    prompts.at(-1)?.messages.flatMap(({ role, content }) => (role === 'user' ? [content] : [])),
    ['Where is order A17?', 'And order B42?'],
  );

  const later = await key.get<Message>('createInboundMessage', {
    params: { channelId },
    body: { projectId, externalParticipantRef: 'customer-A17', body: 'Thanks, hello again.' },
  });
  t.equal(later.threadId, threadId);
  t.match(await tryLoom({ threadId, inputMessageId: messageId }), { text: /on its way/ }, 'as it was then');
  t.match(await tryLoom({ threadId }), { text: 'Hello.' });
  t.equal(shop.received.length, calls);
});

t.test('without a recorded call the result is the given one, or that nothing was called', async t => {
  const before = await traces();
  const given = [
    { toolId, arguments: { number: 'C1' }, result: { status: 'lost' } },
    { toolId, arguments: { number: 'C2' }, error: 'the shop is closed' },
  ];
  const ask = (number: string) => tryLoom({ messages: says(`order ${number}`), toolResults: given });
  t.match(await ask('C1'), {
    text: /lost/,
    threadId: null,
    steps: [{ toolCalls: [{ stub: 'given', result: { status: 'lost' }, error: null }] }, {}],
  });
  t.match(await ask('C2'), {
    text: /closed/,
    steps: [{ toolCalls: [{ stub: 'given', result: null, error: 'the shop is closed' }] }, {}],
  });
  t.match(await ask('C3'), { steps: [{ toolCalls: [{ stub: 'none', error: null }] }, {}] });
  t.match(await ask('none'), {
    steps: [{ toolCalls: [{ stub: 'refused', arguments: {}, error: /number/ }] }, {}],
  });
  t.match(await tryLoom({ messages: says('Hi.', 'Hello!', 'Anything new?') }), { text: 'Hello.' });
  t.same(
    prompts.at(-1)?.messages.map(({ role }) => role),
    ['system', 'user', 'assistant', 'user'],
  );
  t.strictSame(await traces(), before);
});

t.test('a trial ends: after its steps, its time, and where a budget is used up', async t => {
  const again = await newLoom({ model: 'again' });
  const endless = await tryLoom({ messages: says('order D1') }, again.loomId);
  t.match(endless, { status: 'failed', errorCode: 'step_limit', text: null });
  t.equal(endless.steps.length, 8);

  const silent = await newLoom({ model: 'silent' });
  const slow = await tryLoom({ messages: says('Hi.'), timeoutMs: 1_000 }, silent.loomId);
  t.match(slow, { status: 'failed', errorCode: 'timeout', steps: [] });
  t.ok(slow.durationMs < 20_000);

  const other = await newLoom({ provider: 'llm_provider_2' });
  t.match(await tryLoom({ messages: says('Hi.') }, other.loomId), { errorCode: 'byok_missing' });
});

t.test('a trial needs a message to answer', async t => {
  const { messageId } = await newAnsweredThread('F1');
  for (const [body, path] of [
    [{}, '/body/messages'],
    [{ inputMessageId: messageId, messages: says('Hi.') }, '/body/threadId'],
  ] as const) {
    const asked = { params: { loomId }, body: { projectId, ...body } };
    t.match((await key.ask<Refusal>('tryLoom', asked)).body.details, { issues: [{ path }] });
  }
});

t.test('what it costs counts for the day, and a budget that is used up holds for it', async t => {
  const budgets = () => person.get<Budgets>('getBudgets', { query: { projectId, environmentId } });
  const usage = async () => {
    const { data } = await person.get<ListOf<UsageRow>>('listUsage', {
      query: { projectId, environmentId, groupBy: 'model' },
    });
    return data.find(({ model }) => model === 'gpt-4o-mini');
  };
  const [before, used] = [await budgets(), await usage()];
  const { estimatedCostMicros, totalTokens } = await tryLoom({ messages: says('Hi.') });
  const after = await budgets();
  t.equal(after.today.spentMicros, before.today.spentMicros + Number(estimatedCostMicros));
  t.match(await usage(), {
    agentRuns: used?.agentRuns,
    totalTokens: Number(used?.totalTokens) + Number(totalTokens),
  });

  const set = (limits: object) =>
    person.get('setBudgets', { body: { projectId, environmentId, onExceeded: 'suggest', ...limits } });
  await set({ perProjectDayMicros: after.today.spentMicros });
  // Limits, and what was spent, are known for a second.
  await eventually('budget', async () => {
    const asked = prompts.length;
    const trial = await tryLoom({ messages: says('Hi.') });
    if (trial.errorCode === null) return false;
    t.match(trial, { status: 'failed', errorCode: 'budget_exceeded', errorMessage: /project for today/ });
    t.equal(prompts.length, asked, 'the model is not asked');
    return true;
  });
  await set({ perRunMicros: 1 });
  await eventually('budget of one run', async () => {
    const trial = await tryLoom({ messages: says('order E1') });
    if (trial.errorMessage?.includes('one run') !== true) return false;
    t.equal(trial.steps.length, 1, 'its first step has used it up');
    return true;
  });
  await set({});
  // A run that begins while the limit is still known would fail.
  await eventually('no budget', async () => (await tryLoom({ messages: says('order E1') })).steps.length > 1);
});
