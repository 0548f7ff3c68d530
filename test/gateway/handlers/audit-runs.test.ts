/** Audit entries of acts on agent runs, which are recorded in the commits of the run or of its thread. */
import t from 'tap';
import type { AgentRun } from '../../../protocol/resources/agent.ts';
import type { AuditLog } from '../../../protocol/resources/audit.ts';
import type { Loom } from '../../../protocol/resources/loom.ts';
import { silentModel, startModels } from '../../contract/models.ts';
import type { ListOf } from '../../node/client.ts';
import { newThread } from '../../support/conversations.ts';
import { eventually } from '../../support/eventually.ts';
import { shareSkein } from '../../support/skein.ts';

const skein = await shareSkein(t);
const tenant = await skein.tenant();
const { key, person, projectId, environmentId } = tenant;
const byKey = { type: 'api_key', id: tenant.apiKeyId };
const byPerson = { type: 'user', id: tenant.userId };
const provider = 'llm_provider_1';
const secret = skein.models.register(await startModels(t));
await person.get('createByokCredential', { body: { projectId, provider, displayName: 'Key', secret } });

async function newAgent(model = 'model-1'): Promise<string> {
  const definition = { systemPrompt: 'Answer.', provider, model, mode: 'suggest' };
  const { loomId } = await key.get<Loom>('createLoom', { body: { projectId, name: 'Loom', ...definition } });
  const body = { projectId, name: 'Agent', loomId };
  return (await key.get<{ agentId: string }>('createAgent', { body })).agentId;
}

/** Lists the acts on a run, oldest first. */
async function listActs(targetId: string): Promise<AuditLog[]> {
  const { data } = await key.get<ListOf<AuditLog>>('listAuditLogs', { query: { targetId } });
  return [...data].reverse();
}

t.test('a repeated request for a run on a thread is one act', async t => {
  const agentId = await newAgent();
  const { threadId } = await newThread(tenant);
  const asked = { params: { agentId }, body: { projectId, threadId }, key: 'on-a-thread' };
  const { agentRunId } = await person.get<AgentRun>('createAgentRun', asked);
  await person.get<AgentRun>('createAgentRun', asked);
  const details = { agentId, threadId };
  const acts = await listActs(agentRunId);
  t.match(acts, [
    { action: 'agent_run.created', actor: byPerson, environmentId, details, address: '127.0.0.1' },
  ]);
  t.equal(acts.length, 1);
});

t.test('a run without a thread, and its cancellation', async t => {
  const agentId = await newAgent(silentModel);
  const { agentRunId } = await key.get<AgentRun>('createAgentRun', {
    params: { agentId },
    body: { projectId },
  });
  const cancel = { params: { agentRunId }, body: { projectId } };
  await person.get('cancelAgentRun', cancel);
  t.equal((await person.ask('cancelAgentRun', cancel)).status, 409);
  const acts = await listActs(agentRunId);
  t.match(acts, [
    { action: 'agent_run.created', actor: byKey, details: { agentId } },
    { action: 'agent_run.cancelled', actor: byPerson, address: '127.0.0.1' },
  ]);
  t.equal(acts.length, 2, 'a refused act has no entry');
});

t.test('the fate of a suggestion, without its text', async t => {
  const agentId = await newAgent();
  for (const [fields, resolution] of [
    [{ action: 'approve' }, 'approved'],
    [{ action: 'approve', body: 'In words of my own.' }, 'edited'],
    [{ action: 'discard', reason: 'Not at all.' }, 'discarded'],
  ] as const) {
    const { threadId } = await newThread(tenant);
    const body = { projectId, threadId };
    const { agentRunId } = await key.get<AgentRun>('createAgentRun', { params: { agentId }, body });
    const params = { agentRunId };
    await eventually('suggestion', async () => {
      const { status } = await key.get<AgentRun>('getAgentRun', { params });
      if (status === 'failed') throw new Error('the run has failed');
      return status === 'succeeded';
    });
    await person.get('resolveSuggestion', { params, body: { projectId, ...fields } });
    const [, act, ...more] = await listActs(agentRunId);
    t.match(act, { action: 'agent_run.suggestion_resolved', actor: byPerson, address: '127.0.0.1' });
    t.strictSame([act?.details, more], [{ threadId, resolution }, []]);
  }
});
