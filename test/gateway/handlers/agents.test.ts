/** Tools, looms, agents and budgets over REST, on a whole node. */
import t from 'tap';
import type { Agent } from '../../../protocol/resources/agent.ts';
import type { Budgets } from '../../../protocol/resources/budget.ts';
import type { ByokCredential } from '../../../protocol/resources/byok.ts';
import type { EventEnvelope } from '../../../protocol/resources/event.ts';
import type { Loom, LoomVersion } from '../../../protocol/resources/loom.ts';
import type { Thread } from '../../../protocol/resources/thread.ts';
import type { CreatedTool, Tool } from '../../../protocol/resources/tool.ts';
import type { OperationId } from '../../../protocol/operations/table.ts';
import type { Asked, Client, ListOf, Refusal } from '../../node/client.ts';
import { shareSkein } from '../../support/skein.ts';

const skein = await shareSkein(t);
const tenant = await skein.tenant();
const { key, person, projectId, environmentId } = tenant;
const definition = { systemPrompt: 'Answer.', provider: 'llm_provider_1', model: 'model-1' } as const;
const url = 'https://tools.example/orders';

const body = (more: object): Asked => ({ body: { projectId, ...more } });
const refusal = (id: OperationId, asked: Asked, by: Client = key) => by.ask<Refusal>(id, asked);

/** Path and code of each issue of a 422. */
async function issues(id: OperationId, asked: Asked, by = key): Promise<string[]> {
  const { status, body } = await refusal(id, asked, by);
  const found = body.details?.['issues'] as readonly { path: string; code: string }[] | undefined;
  if (found === undefined) return [String(status)];
  return found.map(({ path, code }) => `${status === 422 ? '' : `${status} `}${path} ${code}`);
}

/** Names of the events that tell of something, oldest first. */
async function getEvents(id: string): Promise<string[]> {
  // As a person: no key learns of the keys of providers.
  const query = { projectId, environmentId, limit: 100 };
  const { data } = await person.get<ListOf<EventEnvelope>>('listEvents', { query });
  return data
    .filter(event => JSON.stringify(event).includes(id))
    .map(({ eventName }) => eventName)
    .reverse();
}

async function actsOn(targetId: string): Promise<unknown[]> {
  const { data } = await key.get<ListOf<{ action: string }>>('listAuditLogs', { query: { targetId } });
  return data.map(({ action }) => action).reverse();
}

const newTool = (more: object = {}) =>
  key.get<CreatedTool>('createTool', body({ name: 'Orders', url, ...more }));
const newLoom = (more: object = {}) =>
  key.get<Loom>('createLoom', body({ name: 'Loom', ...definition, ...more }));
const newAgent = (more: object = {}) => key.get<Agent>('createAgent', body({ name: 'Agent', ...more }));
const newByok = (more: object = {}) =>
  person.get<ByokCredential>('createByokCredential', {
    body: {
      projectId,
      provider: 'llm_provider_1',
      displayName: 'Key',
      secret: 'sk-hush-hush',
      ...more,
    },
  });

t.test('a tool has the defaults of the contract, and shows no value of a header', async t => {
  const headers = { Authorization: 'Bearer hush-hush' };
  const { signingSecret, ...tool } = await newTool({ headers });
  t.match(tool, {
    projectId,
    environmentId,
    url,
    method: 'POST',
    status: 'active',
    description: null,
    inputSchema: null,
    timeoutMs: 5_000,
    retryMaxAttempts: 1,
    retryBackoffMs: 250,
    requiresApproval: false,
    headers: { Authorization: '[redacted]' },
  });
  t.match(signingSecret, /^whsec_/);
  const { toolId } = tool;
  t.same(await key.get<Tool>('getTool', { params: { toolId } }), tool);
  t.same((await key.get<ListOf<Tool>>('listTools', { query: { projectId, limit: 1 } })).data, [tool]);
  const change = { params: { toolId }, ...body({ status: 'disabled', inputSchema: { type: 'object' } }) };
  t.match(await key.get<Tool>('updateTool', change), { status: 'disabled', inputSchema: { type: 'object' } });
  await key.get('updateTool', change);
  t.same(await getEvents(toolId), ['tool.status.changed']);
  t.same(await actsOn(toolId), ['tool.created', 'tool.updated']);
});

t.test('a signing secret rotates, and is shown once', async t => {
  const { signingSecret: before, ...tool } = await newTool();
  const { toolId } = tool;
  const asked = { params: { toolId }, ...body({ gracePeriodSeconds: 60 }) };
  const { signingSecret, ...shown } = await key.get<CreatedTool>('rotateToolSecret', asked);
  t.match(signingSecret, /^whsec_/);
  t.not(signingSecret, before);
  t.strictSame(shown, tool, 'the tool is as it was');
  t.same(await getEvents(toolId), ['tool.secret.rotated']);
  t.same(await actsOn(toolId), ['tool.created', 'tool.secret_rotated']);
});

t.test('invalid tools, and the field that is named', async t => {
  const created = (more: object) => issues('createTool', body({ name: 'T', url, ...more }));
  t.match(await created({ url: 'https://a:b@c.example/' }), [/^\/body\/url /]);
  t.same(await created({ headers: { 'X-A': 'a\r\nHost: b' } }), ['/body/headers/X-A header']);
  t.same(await created({ headers: { Host: 'b', 'Service-Signature': 'x' } }), [
    '/body/headers/Host reserved',
    '/body/headers/Service-Signature reserved',
  ]);
  t.same(await created({ inputSchema: { type: 'array' } }), ['/body/inputSchema/type schema']);
  const { toolId } = await newTool();
  const params = { toolId };
  const changed = (more: object) => issues('updateTool', { params, ...body(more) });
  t.same(await changed({ headers: { TE: 'trailers' } }), ['/body/headers/TE reserved']);
  await key.get('updateTool', { params, ...body({ headers: { 'X-Key': 'hush' } }) });
  t.same(await changed({ url: 'https://other.example/' }), ['/body/headers required']);
  const large = { params, ...body({ arguments: { a: 'x'.repeat(65_529) } }) };
  t.same(await issues('testTool', large), ['/body/arguments size']);
});

t.test('a version is made, activated, rolled back and archived', async t => {
  const tool = await newTool();
  const { loomId, activeVersionId: first } = await newLoom({
    mode: 'suggest',
    toolIds: [tool.toolId, tool.toolId],
  });
  const params = { loomId };
  const second = await key.get<LoomVersion>('createLoomVersion', { params, ...body(definition) });
  const third = await key.get<LoomVersion>('createLoomVersion', {
    params,
    ...body({ ...definition, activate: false }),
  });
  t.match([second, third], [{ version: 2 }, { version: 3, mode: null, rules: [], toolIds: [] }]);
  const active = async (): Promise<unknown> => (await key.get<Loom>('getLoom', { params })).activeVersionId;
  t.equal(await active(), second.loomVersionId);

  const activate = (loomVersionId: unknown) =>
    refusal('activateLoomVersion', { params, ...body({ loomVersionId }) });
  t.match(await activate(first), { status: 200, body: { activeVersionId: first } });
  t.equal((await activate(first)).status, 200, 'once more changes nothing');
  t.equal((await activate((await newLoom()).activeVersionId)).status, 404, "another loom's");

  const archive = (loomVersionId: string, status = 'archived') =>
    refusal('updateLoomVersion', { params: { loomId, loomVersionId }, ...body({ status }) });
  t.equal((await archive(String(first))).status, 409, 'the active one');
  t.match(await archive(third.loomVersionId), { status: 200, body: { status: 'archived' } });
  t.equal((await activate(third.loomVersionId)).status, 409);
  t.equal((await archive(third.loomVersionId, 'published')).status, 200);
  t.equal((await activate(third.loomVersionId)).status, 200);
  const oldest = await key.get<LoomVersion>('getLoomVersion', {
    params: { loomId, loomVersionId: String(first) },
  });
  t.match(oldest, { version: 1, toolIds: [tool.toolId], mode: 'suggest', systemPrompt: 'Answer.' });

  t.same(await getEvents(`"loomVersionId":"${first}"`), [
    ...['loom.version.published', 'loom.version.activated', 'loom.version.activated'],
  ]);
  t.same(await actsOn(third.loomVersionId), [
    ...['loom_version.created', 'loom_version.updated', 'loom_version.updated', 'loom_version.activated'],
  ]);
});

t.test('a loom is not archived while an agent uses it; an archived one takes nothing', async t => {
  const { loomId } = await newLoom();
  const { agentId } = await newAgent({ loomId });
  const params = { loomId };
  const setStatus = (status: string) => refusal('updateLoom', { params, ...body({ status }) });
  const setAgent = (more: object) => refusal('updateAgent', { params: { agentId }, ...body(more) });
  t.match(await setStatus('archived'), { status: 409, body: { error: 'svc/runtime/conflict' } });
  t.equal((await setAgent({ archived: true })).status, 200);
  t.match(await setStatus('archived'), { status: 200, body: { status: 'archived', archivedAt: /^20/ } });
  t.equal((await setAgent({ archived: false })).status, 409, 'its loom is gone');
  t.equal((await refusal('createAgent', body({ name: 'A', loomId }))).status, 409);
  t.equal((await refusal('createLoomVersion', { params, ...body(definition) })).status, 409);
  const listed = await key.get<ListOf<Loom>>('listLooms', { query: { projectId, limit: 100 } });
  t.notOk(listed.data.some(loom => loom.loomId === loomId));
  t.match(await setStatus('active'), { status: 200, body: { archivedAt: null } });
  t.equal((await setAgent({ archived: false, name: 'Back' })).status, 200);
  t.same(await getEvents(`"agentId":"${agentId}"`), [
    ...['agent.lifecycle.created', 'agent.lifecycle.updated', 'agent.lifecycle.updated'],
  ]);
});

t.test("an agent's mode is its own, or its version's, or paused", async t => {
  const { agentId, ...agent } = await newAgent();
  t.match(agent, { mode: 'paused', loomId: null });
  t.notOk('activeLoomVersionId' in agent);
  const params = { agentId };
  const changed = (more: object) => key.get<Agent>('updateAgent', { params, ...body(more) });
  const { loomId, activeVersionId } = await newLoom({ mode: 'suggest' });
  t.match(await changed({ loomId }), { mode: 'suggest', activeLoomVersionId: activeVersionId });
  t.match(await changed({ mode: 'auto' }), { mode: 'auto' });
  t.match(await changed({ mode: null }), { mode: 'suggest' });
  await key.get('createLoomVersion', { params: { loomId }, ...body({ ...definition, mode: 'auto' }) });
  t.match(await key.get<Agent>('getAgent', { params }), { mode: 'auto' });
  t.match((await key.get<ListOf<Agent>>('listAgents', { query: { projectId, limit: 1 } })).data, [
    { mode: 'auto' },
  ]);
  t.match(await changed({ loomId: null }), { mode: 'paused', loomId: null });
});

t.test('an archived agent is named by no thread and no channel', async t => {
  const { agentId } = await newAgent();
  const { threadId } = await key.get<Thread>('createThread', body({ environmentId }));
  const { channelId } = tenant;
  const onThread = () => refusal('updateThread', { params: { threadId }, ...body({ agentId }) });
  const onChannel = () =>
    refusal('updateChannel', { params: { channelId }, ...body({ defaultAgentId: agentId }) });
  t.match(await onThread(), { status: 200, body: { agentId } });
  t.match(await onChannel(), { status: 200, body: { defaultAgentId: agentId } });
  const archived = { params: { agentId }, ...body({ archived: true }) };
  t.match(await key.get<Agent>('updateAgent', archived), { archivedAt: /^20/ });
  t.equal((await onThread()).status, 404);
  t.equal((await onChannel()).status, 404);
  t.equal((await refusal('updateAgent', { params: { agentId }, ...body({ name: 'N' }) })).status, 409);
});

t.test('a loom needs a key of its own provider', async t => {
  const { byokCredentialId } = await newByok({ provider: 'llm_provider_2' });
  const named = { name: 'L', ...definition, byokCredentialId };
  const path = '/body/byokCredentialId reference';
  t.same(await issues('createLoom', body(named)), [path]);
  await newLoom({ byokCredentialId, provider: 'llm_provider_2' });
  await person.get('revokeByokCredential', { params: { byokCredentialId } });
  t.same(
    await issues('createLoom', body({ ...named, provider: 'llm_provider_2' })),
    [`404 ${path}`],
    'revoked',
  );
});

t.test('keys of providers are managed by people, and their secrets are never shown', async t => {
  const made = await newByok();
  const params = { byokCredentialId: made.byokCredentialId };
  const rotation = { params, body: { secret: 'sk-hush-again' } };
  const rotated = await person.get<ByokCredential>('rotateByokCredential', rotation);
  t.match(rotated, { status: 'rotating', rotationGraceExpiresAt: /^20/ });
  const listed = await person.get<ListOf<ByokCredential>>('listByokCredentials', { query: { projectId } });
  t.same(
    listed.data.find(each => each.byokCredentialId === made.byokCredentialId),
    rotated,
  );
  const change = { displayName: 'Renamed', modelAllowlist: ['model-1', 'model-2', 'model-1'] };
  const changed = await person.get<ByokCredential>('updateByokCredential', { params, body: change });
  t.same(changed, {
    ...rotated,
    displayName: 'Renamed',
    modelAllowlist: ['model-1', 'model-2'],
    updatedAt: changed.updatedAt,
  });
  t.same(await person.get('updateByokCredential', { params, body: change }), changed, 'a no-op');
  await person.get('revokeByokCredential', { params });
  t.equal((await refusal('updateByokCredential', { params, body: {} }, person)).status, 409, 'it is revoked');
  t.same(
    (await actsOn(made.byokCredentialId)).filter(act => act === 'byok_credential.updated'),
    ['byok_credential.updated'],
    'once',
  );
  t.equal((await refusal('rotateByokCredential', rotation, person)).status, 409);
  t.same(await getEvents(made.byokCredentialId), [
    ...['byok.credential.created', 'byok.credential.rotated', 'byok.credential.revoked'],
  ]);
  const rows = await skein.database.query<{ text: string }>(
    `select e.body::text as text from events e union all select a::text from audit_logs a
     union all select i::text from idempotency_keys i union all select b::text from byok_credentials b
     union all select o::text from tools o`,
  );
  t.notMatch(JSON.stringify([listed, rotated, rows]), /hush/);
});

t.test('budgets are set as a whole, by those who answer for costs', async t => {
  const query = { projectId };
  const none = { perRunMicros: null, perThreadMicros: null, perProjectDayMicros: null };
  t.match(await key.get<Budgets>('getBudgets', { query }), {
    projectId,
    environmentId,
    ...none,
    perProjectDayMicros: 50_000_000,
    onExceeded: 'paused',
    updatedAt: null,
    today: { day: /^20/, spentMicros: 0, leftMicros: 50_000_000, exceededRuns: 0 },
  });
  const set = (more: object) => person.get<Budgets>('setBudgets', body({ onExceeded: 'suggest', ...more }));
  t.match(await set({ perRunMicros: 5, perThreadMicros: 2 ** 53 - 1 }), {
    ...none,
    perRunMicros: 5,
    perThreadMicros: 2 ** 53 - 1,
    onExceeded: 'suggest',
    updatedAt: /^20/,
  });
  const last = await set({ perProjectDayMicros: 0 });
  t.match(last, { ...none, perProjectDayMicros: 0, today: { leftMicros: 0 } });
  t.same(await key.get<Budgets>('getBudgets', { query }), last);
  t.same(await actsOn(environmentId), ['budget.updated', 'budget.updated']);
});
