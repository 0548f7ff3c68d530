/** What became of an agent's suggestions, by version, over REST: from an index, of the last days, and of its own environment. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import type { Agent, AgentRun, AgentSuggestions } from '../../../protocol/resources/agent.ts';
import type { Loom, LoomVersion } from '../../../protocol/resources/loom.ts';
import { selectFates } from '../../../storage/reads/suggestion-fates.ts';
import type { ListOf, Refusal } from '../../node/client.ts';
import { shareSkein } from '../../support/skein.ts';

const skein = await shareSkein(t);
const { database } = skein;
const { key, projectId, environmentId } = await skein.tenant();
const definition = { systemPrompt: 'Answer.', provider: 'llm_provider_1', model: 'model-1' } as const;
const dayMs = 86_400_000;

const loom = await key.get<Loom>('createLoom', { body: { projectId, name: 'Loom', ...definition } });
const { loomId } = loom;
const first = String(loom.activeVersionId);
const { loomVersionId: second } = await key.get<LoomVersion>('createLoomVersion', {
  params: { loomId },
  body: { projectId, ...definition },
});
const newAgent = (): Promise<Agent> => key.get('createAgent', { body: { projectId, name: 'Agent', loomId } });
const { agentId } = await newAgent();

/** Runs of a version, with that status of their suggestions; null: they made none. */
async function addRuns(count: number, loomVersionId: string, status: string | null, more: object = {}) {
  const at = new Date().toISOString();
  const run = {
    project_id: projectId,
    environment_id: environmentId,
    version: 3,
    thread_id: newId('thread'),
    agent_id: agentId,
    loom_id: loomId,
    loom_version_id: loomVersionId,
    status: 'succeeded',
    provider: 'llm_provider_1',
    model: 'm',
    mode: 'suggest',
    tool_call_count: 0,
    trace: { steps: [] },
    metadata: {},
    state: {},
    created_at: at,
    updated_at: at,
    suggestion_status: status,
    ...more,
  };
  await database.query(
    `insert into agent_runs select r.*
     from unnest($2::text[]) as id,
       lateral jsonb_populate_record(null::agent_runs, jsonb_build_object('agent_run_id', id) || $1::jsonb) as r`,
    [JSON.stringify(run), Array.from({ length: count }, () => newId('run'))],
  );
}

await addRuns(3, first, 'approved');
await addRuns(2, first, 'edited');
await addRuns(1, first, 'superseded');
await addRuns(4, second, 'approved');
await addRuns(1, second, 'discarded');
await addRuns(2, second, 'expired');
await addRuns(1, second, 'pending');
await addRuns(7, second, null);
await addRuns(5, second, 'approved', { created_at: new Date(Date.now() - 40 * dayMs).toISOString() });
await addRuns(9, second, 'approved', { agent_id: newId('agent') });
await addRuns(9, second, 'approved', { environment_id: newId('environment') });

t.test('they are counted by version, the newest first', async t => {
  const read = (days?: number): Promise<AgentSuggestions> =>
    key.get('getAgentSuggestions', { params: { agentId }, query: days === undefined ? {} : { days } });
  const none = { pending: 0, approved: 0, edited: 0, discarded: 0, superseded: 0, expired: 0 };
  const { versions, since } = await read();
  t.strictSame(versions, [
    { loomId, loomVersionId: second, version: 2, ...none, approved: 4, discarded: 1, expired: 2, pending: 1 },
    { loomId, loomVersionId: first, version: 1, ...none, approved: 3, edited: 2, superseded: 1 },
  ]);
  t.ok(Math.abs(Date.parse(since) - Date.now() + 30 * dayMs) < 60_000);
  t.equal((await read(60)).versions[0]?.approved, 9, 'of more days');
});

t.test(
  'a suggestion whose thread has not answered yet cannot be resolved: the client tries again',
  async t => {
    const agentRunId = newId('run');
    const row = { agent_run_id: agentRunId, status: 'running', state: { phase: 'answering' } };
    await addRuns(1, first, null, row);
    const asked = { params: { agentRunId }, body: { projectId, action: 'approve' } };
    const reply = await key.ask<Refusal>('resolveSuggestion', asked);
    t.match([reply.status, reply.body.error], [503, 'svc/runtime/unavailable']);
    t.equal(reply.headers['retry-after'], '1');
  },
);

t.test('a list of runs shows those whose suggestion is pending', async t => {
  const createdAt = new Date().toISOString();
  const suggestion = { body: 'At nine.', status: 'pending', basedOnSequence: 1, createdAt };
  const agentRunId = newId('run');
  await addRuns(1, first, 'pending', { agent_run_id: agentRunId, trace: { steps: [], suggestion } });
  const list = (query: Readonly<Record<string, string>>) =>
    key.ask<ListOf<AgentRun>>('listAgentRuns', { query: { projectId, environmentId, ...query } });
  const { data } = (await list({ suggestion: 'pending' })).body;
  t.ok(data.some(run => run.agentRunId === agentRunId));
  t.ok(data.length < (await list({})).body.data.length);
  t.equal((await list({ suggestion: 'discarded' })).status, 422);
});

t.test('they are read from their index, without the runs', async t => {
  await addRuns(2_000, first, null, { agent_id: newId('agent') });
  await addRuns(1_000, first, null);
  await database.query('vacuum analyze agent_runs');
  const since = new Date(Date.now() - 30 * dayMs).toISOString();
  const values = [projectId, environmentId, agentId, since];
  const statement = selectFates.replaceAll(/\$(\d)/g, (_, n: string) => `'${values[Number(n) - 1] ?? ''}'`);
  const rows = await database.query(`explain (format json) ${statement}`);
  t.match(JSON.stringify(rows), /agent_runs_suggestions/);
});
