/** Plans of model steps, read from a real database. */
import t from 'tap';
import { createPlans, createHistory, createToolNames } from '../../../actors/run/plans.ts';
import type { StepRequest } from '../../../actors/run/task-requests.ts';
import type { Plan } from '../../../actors/run/services.ts';
import type { RunFailure } from '../../../actors/run/commands.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { systemClock } from '../../../runtime/time/clock.ts';
import type { TenantScope } from '../../../storage/database/tenant-scope.ts';
import { recordByokUse } from '../../../storage/agents/byok.ts';
import { startTestDatabase } from '../../support/database.ts';
import { agentRows } from './agent-rows.ts';
import { toOrder } from './models/model-fixture.ts';

const { database } = await startTestDatabase(t);
const rows = agentRows(database);
const plans = createPlans({
  db: database,
  vault: rows.vault,
  clock: systemClock,
  log: silentLog,
  historyTokens: 25,
});

function planned(plan: Plan | { readonly failure: RunFailure }): Plan {
  if ('failure' in plan) throw new Error(plan.failure.errorMessage);
  return plan;
}

const order = (
  tenant: TenantScope,
  head: StepRequest['head'],
  more: Partial<StepRequest> = {},
): StepRequest => toOrder({ ...tenant, head, threadId: null, ...more });

t.test('prompt, rules, tools and key of a version', async t => {
  const tenant = await rows.tenant();
  const byokCredentialId = await rows.key(tenant, 'llm_provider_1', 'sk-of-the-version');
  await rows.key(tenant, 'llm_provider_1', 'sk-that-is-newer');
  const inputSchema = { type: 'object', properties: { id: { type: 'string' } } };
  const { tool: first } = await rows.tool(tenant, { name: 'Look up!', description: 'Looks.', inputSchema });
  const { tool: second } = await rows.tool(tenant, { name: 'Look up' });
  const head = await rows.version(tenant, {
    byokCredentialId,
    toolIds: [second.toolId, first.toolId],
    rules: ['Be kind.', 'Be brief.'],
  });
  t.match(planned(await plans.createPlan(order(tenant, head))), {
    systemPrompt: 'You help.\n\nRules:\n- Be kind.\n- Be brief.',
    provider: 'llm_provider_1',
    model: 'gpt-4o-mini',
    temperature: null,
    maxTokens: null,
    tools: [
      { toolId: second.toolId, name: 'Look_up', description: 'Look up', inputSchema: { type: 'object' } },
      { toolId: first.toolId, name: 'Look_up_2', description: 'Looks.', inputSchema },
    ],
    history: [{ role: 'user' }],
    credential: { resource: { byokCredentialId, status: 'active' }, keys: ['sk-of-the-version'] },
  });
  const { resource } = planned(await plans.createPlan(order(tenant, head))).credential;
  t.notMatch(JSON.stringify(resource), /secret|sk-/i);
});

t.test('tools that cannot be called now are left out, and the others keep their names', async t => {
  const tenant = await rows.tenant();
  await rows.key(tenant);
  const made = [];
  for (let n = 0; n < 4; n++) made.push((await rows.tool(tenant, { name: 'search' })).tool.toolId);
  const [disabled = '', open = '', due = '', active = ''] = made;
  const foreign = (await rows.tool(await rows.tenant())).tool.toolId;
  const set = (id: string, text: string) =>
    database.query(`update tools set ${text} where tool_id = $1`, [id]);
  await set(disabled, `status = 'disabled'`);
  await set(open, `status = 'error', probe_at = now() + interval '1 minute'`);
  await set(due, `status = 'error', probe_at = now() - interval '1 second'`);
  const head = await rows.version(tenant, { toolIds: [...made, foreign] });
  const { tools } = planned(await plans.createPlan(order(tenant, head)));
  t.match(tools, [
    { toolId: due, name: 'search_3' },
    { toolId: active, name: 'search_4' },
  ]);
  t.equal(tools.length, 2);
});

t.test('key selection and its errors', async t => {
  const tenant = await rows.tenant();
  const head = await rows.version(tenant, {});
  const getCode = async (which: StepRequest['head']): Promise<string> => {
    const plan = await plans.createPlan(order(tenant, which));
    return 'failure' in plan ? plan.failure.errorCode : plan.credential.keys.join(' ');
  };
  t.equal(await getCode(head), 'byok_missing');
  await rows.key(await rows.tenant());
  await rows.key(await rows.tenant('production', tenant.projectId));
  await rows.key(tenant, 'llm_provider_2');
  t.equal(
    await getCode(head),
    'byok_missing',
    "neither another tenant's, nor another environment's, nor another provider's",
  );
  await rows.key(tenant, 'llm_provider_1', 'sk-older-00');
  await database.query(
    `update byok_credentials set created_at = created_at - interval '1 s' where project_id = $1`,
    [tenant.projectId],
  );
  const newest = await rows.key(tenant, 'llm_provider_1', 'sk-newer-00');
  t.equal(await getCode(head), 'sk-newer-00');
  const rotate = {
    ...rows.audit(),
    ...tenant,
    byokCredentialId: newest,
    secret: 'sk-newest-0',
    gracePeriodSeconds: 60,
  };
  await rows.byok.rotate(rotate);
  t.equal(await getCode(head), 'sk-newest-0 sk-newer-00', 'both while the grace lasts');
  await database.query(
    `update byok_credentials set rotation_grace_expires_at = now() - interval '1 s' where byok_credential_id = $1`,
    [newest],
  );
  t.equal(await getCode(head), 'sk-newest-0');
  const bound = await rows.version(tenant, { byokCredentialId: newest });
  await rows.byok.revoke({ ...rows.audit(), ...tenant, byokCredentialId: newest });
  t.equal(await getCode(bound), 'byok_missing', 'a revoked key is not replaced by another');
  t.equal(await getCode(head), 'sk-older-00');
  const foreign = await rows.version(tenant, { byokCredentialId: await rows.key(await rows.tenant()) });
  t.equal(await getCode(foreign), 'byok_missing');
  await rows.key(tenant, 'llm_provider_1', 'sk-picky-00', ['gpt-5']);
  t.equal(await getCode(head), 'model_not_allowed');
  await rows.key(tenant, 'llm_provider_1', 'sk-picky-01', ['gpt-5', 'gpt-4o-mini']);
  t.equal(await getCode(head), 'sk-picky-01');
  await database.query(`update byok_credentials set secret = 'x' where project_id = $1`, [tenant.projectId]);
  t.equal(await getCode(head), 'internal_error', 'a key that does not open');
  t.equal(await getCode({ ...head, loomVersionId: 'lver_none' }), 'configuration');
  t.equal(await getCode({ ...head, loomId: 'loom_other' }), 'configuration');
});

t.test('the end of the conversation up to the sequence that is answered', async t => {
  const tenant = await rows.tenant();
  await rows.key(tenant);
  const head = await rows.version(tenant, {});
  const threadId = await rows.thread(tenant, [
    { direction: 'inbound', body: 'x'.repeat(99) },
    { direction: 'outbound', body: 'Welcome.', status: 'sent' },
    { direction: 'outbound', body: 'Never seen.', status: 'failed' },
    { direction: 'inbound', body: '' },
    {
      direction: 'inbound',
      body: 'Here.',
      attachments: [{ kind: 'image', filename: 'a.png', mimeType: 'image/png' }, { kind: 'audio' }],
    },
    { direction: 'inbound', body: 'Later.' },
  ]);
  const historyAt = async (which: TenantScope, basedOnSequence: number) =>
    planned(await plans.createPlan(order(tenant, head, { ...which, threadId, basedOnSequence }))).history;
  t.match(await historyAt(tenant, 5), [
    { role: 'user', content: /begins with a message of ours/ },
    { role: 'assistant', content: 'Welcome.' },
    { role: 'user', content: 'Here.\n[attached image, a.png, image/png]\n[attached audio]' },
  ]);
  t.equal((await historyAt(tenant, 1)).length, 1, 'the newest message is there, whatever its length');
  t.match(await historyAt(tenant, 2), [{}, { content: 'Welcome.' }, { role: 'user', content: /Go on/ }]);
  const elsewhere = await rows.tenant();
  await rows.key(elsewhere);
  const theirs = await rows.version(elsewhere, {});
  const stolen = planned(await plans.createPlan(order(elsewhere, theirs, { threadId, basedOnSequence: 9 })));
  t.same(
    stolen.history,
    [{ role: 'user', content: '(There is no message yet.)' }],
    "nobody else's conversation",
  );
});

t.test('the budget of a history counts from its end', t => {
  const message = (body: string) => ({ direction: 'inbound' as const, body, attachments: [] });
  const contents = createHistory([message('c'.repeat(40)), message('b'.repeat(40)), message('a')], 80);
  t.same(
    contents.map(({ content }) => content[0]),
    ['b', 'c'],
  );
  t.end();
});

t.test('names of tools are valid for all providers, and unique', t => {
  t.same(
    createToolNames(
      ['request human', 'Größe', '検索', '2nd', 'x'.repeat(80), 'x'.repeat(70), ''],
      ['request_human'],
    ),
    ['request_human_2', 'Gro_e', 'tool_', 'tool_2nd', 'x'.repeat(64), `${'x'.repeat(60)}_2`, 'tool__2'],
  );
  t.end();
});

t.test('the last use of a key is kept to the minute', async t => {
  const tenant = await rows.tenant();
  await rows.key(tenant);
  const head = await rows.version(tenant, {});
  const credential = async () => planned(await plans.createPlan(order(tenant, head))).credential.resource;
  const at = Date.UTC(2026, 5, 1);
  const later = async (ms: number): Promise<string | null | undefined> => {
    await recordByokUse(database, await credential(), new Date(at + ms));
    return (await credential()).lastUsedAt;
  };
  t.equal(await later(0), '2026-06-01T00:00:00.000Z');
  t.equal(await later(59_999), '2026-06-01T00:00:00.000Z');
  t.equal(await later(60_000), '2026-06-01T00:01:00.000Z');
});
