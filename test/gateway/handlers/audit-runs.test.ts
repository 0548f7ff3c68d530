/** Acts on agent runs, which record theirs in the commits of the run or of its thread: on a whole node, with models that answer. */
import t from 'tap';
import type { AgentRun } from '../../../protocol/resources/agent.ts';
import type { AuditLog } from '../../../protocol/resources/audit.ts';
import { startContractFixture } from '../../contract/contract-fixture.ts';
import { newAgent, newSilentRun, newSuggestion, newThread } from '../../contract/resources.ts';
import type { ListOf } from '../../node/client.ts';

const { sandbox } = await startContractFixture(t);
const { key, person, projectId, tenant } = sandbox;
const byKey = { type: 'api_key', id: tenant.apiKeyId };
const byPerson = { type: 'user', id: tenant.userId };

/** What was done about a run, oldest first. */
async function actsOn(targetId: string): Promise<AuditLog[]> {
  const { data } = await key.get<ListOf<AuditLog>>('listAuditLogs', { query: { targetId } });
  return [...data].reverse();
}

t.test('a run that is asked for on a thread, once', async t => {
  const { agentId } = await newAgent(sandbox);
  const threadId = await newThread(sandbox);
  const asked = { params: { agentId }, body: { projectId, threadId }, key: 'on-a-thread' };
  const { agentRunId } = await person.get<AgentRun>('createAgentRun', asked);
  await person.get<AgentRun>('createAgentRun', asked);
  const acts = await actsOn(agentRunId);
  t.match(acts, [
    {
      action: 'agent_run.created',
      actor: byPerson,
      environmentId: sandbox.environmentId,
      details: { agentId, threadId },
      address: '127.0.0.1',
    },
  ]);
  t.equal(acts.length, 1);
});

t.test('a run without a thread, and its end', async t => {
  const agentRunId = await newSilentRun(sandbox);
  const params = { agentRunId };
  await person.get('cancelAgentRun', { params, body: { projectId } });
  t.equal((await person.ask('cancelAgentRun', { params, body: { projectId } })).status, 409);
  t.match(await actsOn(agentRunId), [
    { action: 'agent_run.created', actor: byKey, details: { agentId: /^agt_/ } },
    { action: 'agent_run.cancelled', actor: byPerson, address: '127.0.0.1' },
  ]);
  t.equal((await actsOn(agentRunId)).length, 2, 'a refused one has none');
});

t.test('what becomes of suggestions, without their texts', async t => {
  for (const [fields, resolution] of [
    [{ action: 'approve' }, 'approved'],
    [{ action: 'approve', body: 'In words of my own.' }, 'edited'],
    [{ action: 'discard', reason: 'Not at all.' }, 'discarded'],
  ] as const) {
    const threadId = await newThread(sandbox);
    const { agentRunId } = await newSuggestion(sandbox, threadId);
    await person.get('resolveSuggestion', { params: { agentRunId }, body: { projectId, ...fields } });
    const [, act, ...more] = await actsOn(agentRunId);
    t.match(act, { action: 'agent_run.suggestion_resolved', actor: byPerson, address: '127.0.0.1' });
    t.strictSame(act?.details, { threadId, resolution });
    t.strictSame(more, []);
  }
});
