/** Agents on chatapp threads: what participants see of them, and what becomes of their answers when the service window is closed. */
import t from 'tap';
import type { Message } from '../../protocol/resources/message.ts';
import type { Thread } from '../../protocol/resources/thread.ts';
import { startChatapp } from '../gateway/handlers/chatapp-fixture.ts';
import { AgentFixture, Held, says } from '../node/agent-fixture.ts';
import { eventually } from '../support/eventually.ts';
import { Receiver } from '../support/receiver.ts';

const model = await Receiver.start();
t.teardown(() => model.stop());
const { provider, tenant, connected } = await startChatapp(t, { LLM_PROVIDER_1_URL: model.url('/v1') });
const { projectId, key } = tenant;
const agents = await AgentFixture.start(t, tenant, model, {});
const { marked, sent } = provider.messages;

/** A channel whose threads the agent answers. */
async function answeredBy(mode: 'auto' | 'suggest') {
  const { channelId, number } = await connected();
  const body = { projectId, defaultAgentId: agents.agentIds[mode] };
  await key.get('updateChannel', { params: { channelId }, body });
  const write = async (text: string, more: object = {}): Promise<string> =>
    (await provider.write(number, { phone: '15550100' }, { type: 'text', text: { body: text }, ...more })).id;
  const findThreadId = async (): Promise<string> => {
    const query = { projectId, channelId };
    const find = async () => (await key.all<Thread>('listThreads', { query }))[0]?.threadId;
    await eventually('thread', async () => (await find()) !== undefined);
    return (await find()) ?? '';
  };
  return { channelId, number, write, findThreadId };
}

const countMarks = (id: string): number => marked.filter(({ messageId }) => messageId === id).length;

/** The run that has made a suggestion in the thread, once it shows it, too. */
async function findSuggestingRun(threadId: string): Promise<string> {
  const { data } = await agents.event('agent.suggestion.created', threadId);
  const agentRunId = String(data['agentRunId']);
  await eventually('suggestion of the run', async () => {
    const { trace } = await agents.read({ agentRunId });
    return (trace?.suggestion ?? undefined) !== undefined;
  });
  return agentRunId;
}

t.test('who is answered by an agent sees that it writes, once for each message', async t => {
  const { number, write } = await answeredBy('auto');
  for (const text of ['First', 'Second']) {
    const held = new Held();
    agents.script(text, held.behaviour);
    const id = await write(text);
    await held.asked;
    await eventually('typing', () => Promise.resolve(countMarks(id) === 1));
    t.match(marked.at(-1), { messageId: id, typing: true });
    held.answer(says(`To ${text}`));
    await eventually('answer', () =>
      Promise.resolve(
        sent.some(
          each => each.number.id === number.id && JSON.stringify(each.message).includes(`To ${text}`),
        ),
      ),
    );
    t.equal(countMarks(id), 1);
  }
});

t.test('nobody is told of an agent that only suggests', async t => {
  const { write, findThreadId } = await answeredBy('suggest');
  agents.script('What?', says('That.'));
  const id = await write('What?');
  const agentRunId = await findSuggestingRun(await findThreadId());
  t.match(await agents.read({ agentRunId }), { trace: { suggestion: { body: 'That.' } } });
  t.equal(countMarks(id), 0);
});

t.test('after the window an answer is a suggestion, and approving it leaves it pending', async t => {
  const { number, write, findThreadId } = await answeredBy('auto');
  agents.script('Late', says('Sorry.'));
  const dayAgo = Math.floor(Date.now() / 1_000) - 25 * 3_600;
  const id = await write('Late', { timestamp: String(dayAgo) });
  const threadId = await findThreadId();
  const agentRunId = await findSuggestingRun(threadId);
  const suggestion = { status: 'pending', body: 'Sorry.' };
  t.match(await agents.read({ agentRunId }), { trace: { suggestion } });
  t.equal(countMarks(id), 0, 'nobody writes to them');
  const approve = () =>
    key.ask<Message>('resolveSuggestion', {
      params: { agentRunId },
      body: { projectId, action: 'approve' },
    });
  t.match(await approve(), { status: 409, body: { error: 'svc/chatapp/template_required' } });
  t.match(await agents.read({ agentRunId }), { trace: { suggestion } });
  t.notOk(
    sent.some(each => each.number.id === number.id),
    'nothing left',
  );
});
