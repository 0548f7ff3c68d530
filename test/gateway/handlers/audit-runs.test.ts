/** Audit entries of acts on agent runs, which are written in the commits of the run or of its thread. */
import t from 'tap';
import type { AgentRun } from '../../../protocol/resources/agent.ts';
import type { AuditLog } from '../../../protocol/resources/audit.ts';
import type { TenantEnvironment } from '../../contract/contract-fixture.ts';
import { startModels } from '../../contract/models.ts';
import { newAgent, newSilentRun, newSuggestion, newThread } from '../../contract/resources.ts';
import type { ListOf } from '../../node/client.ts';
import { startTestDatabase } from '../../support/database.ts';
import { startSkeinOn } from '../../support/skein.ts';

const { url } = await startTestDatabase(t);
const skein = await startSkeinOn(t, url, {
  ALLOW_PRIVATE_ADDRESSES: 'true',
  LLM_PROVIDER_1_URL: await startModels(t),
});
const tenant = await skein.tenant();
const { key, person, projectId } = tenant;
const sandbox = { ...tenant, tenant } as unknown as TenantEnvironment;
const byKey = { type: 'api_key', id: tenant.apiKeyId };
const byPerson = { type: 'user', id: tenant.userId };

/** Acts on a run, oldest first. */
async function actsOn(targetId: string): Promise<AuditLog[]> {
  const { data } = await key.get<ListOf<AuditLog>>('listAuditLogs', { query: { targetId } });
  return [...data].reverse();
}

t.test('a run on a thread, recorded once', async t => {
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

t.test('a resolved suggestion, without its text', async t => {
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
