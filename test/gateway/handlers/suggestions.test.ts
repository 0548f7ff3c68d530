/** An operator's word on a suggestion that its thread has told of, while the run does not know of it yet. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import type { Refusal } from '../../node/client.ts';
import { shareSkein } from '../../support/skein.ts';

const skein = await shareSkein(t);
const { key, projectId, environmentId } = await skein.tenant();

/** A run that has given its answer to its thread. */
async function newAnswering(more: object = {}): Promise<string> {
  const agentRunId = newId('run');
  const now = new Date().toISOString();
  const row = {
    agent_run_id: agentRunId,
    project_id: projectId,
    environment_id: environmentId,
    version: 3,
    thread_id: newId('thread'),
    agent_id: newId('agent'),
    loom_id: newId('loom'),
    loom_version_id: newId('loomVersion'),
    status: 'running',
    provider: 'llm_provider_1',
    model: 'm',
    mode: 'suggest',
    tool_call_count: 0,
    trace: { steps: [] },
    metadata: {},
    state: { phase: 'answering' },
    created_at: now,
    updated_at: now,
    ...more,
  };
  const insert = 'insert into agent_runs select * from jsonb_populate_record(null::agent_runs, $1)';
  await skein.database.query(insert, [JSON.stringify(row)]);
  return agentRunId;
}

const approve = (agentRunId: string) =>
  key.ask<Refusal>('resolveSuggestion', { params: { agentRunId }, body: { projectId, action: 'approve' } });

t.test('a verdict that does not come is not taken for one: to be asked again', async t => {
  const reply = await approve(await newAnswering());
  t.match([reply.status, reply.body.error], [503, 'svc/runtime/unavailable']);
  t.equal(reply.headers['retry-after'], '1');
});

t.test('of all runs those whose suggestion waits are listed', async t => {
  const createdAt = new Date().toISOString();
  const settle = (status: string) =>
    newAnswering({
      status: 'succeeded',
      suggestion_status: status,
      trace: { steps: [], suggestion: { body: 'At nine.', status, basedOnSequence: 1, createdAt } },
    });
  const pending = await settle('pending');
  await settle('discarded');
  const list = (query: Readonly<Record<string, string>>) =>
    key.ask<{ data: { agentRunId: string }[] }>('listAgentRuns', { query });
  const { status, body } = await list({ projectId, environmentId, suggestion: 'pending' });
  t.equal(status, 200);
  t.strictSame(
    body.data.map(({ agentRunId }) => agentRunId),
    [pending],
  );
  const all = await list({ projectId, environmentId });
  t.ok(all.body.data.length > 1, 'there are others');
  t.equal((await list({ projectId, environmentId, suggestion: 'discarded' })).status, 422);
});
