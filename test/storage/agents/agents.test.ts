/** What agents are made of, on a real database: seals, graces, versions made at once, budgets and what is spent of them. */
import t from 'tap';
import { createBudgets, describeSpentBudget } from '../../../actors/run/budgets.ts';
import type { StepRequest } from '../../../actors/run/task-requests.ts';
import { agentRules as rules } from '../../../gateway/agents/rules.ts';
import { newId } from '../../../protocol/ids.ts';
import { Agents } from '../../../storage/agents/agents.ts';
import { BudgetSettings } from '../../../storage/agents/budgets.ts';
import { endByokGraces, endToolGraces } from '../../../storage/retention/credential-graces.ts';
import { ByokCredentials, byokSecretContext } from '../../../storage/agents/byok.ts';
import type { LoomDefinition } from '../../../storage/agents/loom-definition.ts';
import { LoomVersions } from '../../../storage/agents/loom-versions.ts';
import { Looms } from '../../../storage/agents/looms.ts';
import {
  Tools,
  toolHeadersContext,
  toolSigningContext,
  type NewTool,
} from '../../../storage/agents/tools.ts';
import type { AuditContext } from '../../../storage/audit/record.ts';
import { AgentRun, LoomVersion, Tool } from '../../../storage/entities/agents.ts';
import { ByokCredential } from '../../../storage/entities/credentials.ts';
import { defaultLimits } from '../../../storage/writes/limits.ts';
import { accountServices, origin } from '../../support/accounts.ts';
import { startTestDatabase } from '../../support/database.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const { database: db } = await startTestDatabase(t);
const { hash, vault, cursors, newPerson } = accountServices(db);
const { projectId, environmentId, userId } = await newPerson();
const tenant = { projectId, environmentId };
const now = Date.now();
const audit = (at = now): AuditContext => ({ author: { type: 'user', id: userId }, origin, now: at });

const byok = new ByokCredentials({ db, hash, vault, cursors, rules });
const tools = new Tools({ db, vault, cursors, rules });
const looms = new Looms({ db, cursors, rules });
const versions = new LoomVersions({ db, cursors, rules });
const agents = new Agents({ db, cursors, rules });

const definition: LoomDefinition = {
  systemPrompt: 'Answer.',
  rules: [],
  provider: 'llm_provider_1',
  model: 'model-1',
  toolIds: [],
  byokCredentialId: null,
  mode: null,
  temperature: 0.25,
  maxTokens: null,
  metadata: {},
};

/** Everything that events and acts say. */
async function told(): Promise<string> {
  const rows = await db.query<{ text: string }>(
    `select body::text as text from events union all select a::text from audit_logs a`,
  );
  return rows.map(({ text }) => text).join('\n');
}

async function eventNames(like: string): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    'select event_name as name from events where project_id = $1 and body::text like $2 order by seq',
    [projectId, `%${like}%`],
  );
  return rows.map(({ name }) => name);
}

const newKey = (secret: string) =>
  byok.create({
    ...tenant,
    ...audit(),
    provider: 'llm_provider_2',
    displayName: 'Key',
    secret,
    modelAllowlist: ['a', 'b', 'a'],
    metadata: { a: 1 },
  });

const credentialRow = (byokCredentialId: string) =>
  db.em().findOneOrFail(ByokCredential, { byokCredentialId });
const open = (id: string, jwe: string | null | undefined) => vault.open(byokSecretContext(id), jwe ?? '');

t.test('a key is sealed, replaced with a grace, and its grace ends', async t => {
  const made = await newKey('the first secret');
  const id = made.byokCredentialId;
  t.match(made, { status: 'active', modelAllowlist: ['a', 'b'], keyFingerprint: /^[0-9a-f]{16}$/ });
  t.equal(await open(id, (await credentialRow(id)).secret), 'the first secret');

  const rotation = { ...tenant, ...audit(), byokCredentialId: id, gracePeriodSeconds: 60 };
  const rotated = await byok.rotate({ ...rotation, secret: 'the second secret' });
  t.match(rotated, { status: 'rotating', rotationGraceExpiresAt: new Date(now + 60_000).toISOString() });
  t.not(rotated.keyFingerprint, made.keyFingerprint);
  let row = await credentialRow(id);
  t.equal(await open(id, row.secret), 'the second secret');
  t.equal(await open(id, row.previousSecret), 'the first secret');

  await byok.rotate({ ...rotation, secret: 'the third secret' });
  row = await credentialRow(id);
  t.equal(await open(id, row.previousSecret), 'the second secret', 'of those before, the last one stays');

  const [listed] = (await byok.list(tenant, { limit: 1 }, now + 60_000)).data;
  t.match(
    listed,
    { status: 'active', rotationGraceExpiresAt: null },
    'it has ended before it is written down',
  );
  await endByokGraces(db, now + 59_999);
  t.equal((await credentialRow(id)).status, 'rotating');
  await endByokGraces(db, now + 60_000);
  row = await credentialRow(id);
  t.match(row, { status: 'active', previousSecret: null, rotationGraceExpiresAt: null });
  t.equal(await open(id, row.secret), 'the third secret');

  await byok.rotate({ ...rotation, gracePeriodSeconds: 0, secret: 'the fourth secret' });
  t.match(await credentialRow(id), { status: 'active', previousSecret: null });
  const revocation = { ...tenant, ...audit(), byokCredentialId: id };
  await byok.revoke(revocation);
  await byok.revoke(revocation);
  t.match(await credentialRow(id), { status: 'revoked', secret: '', previousSecret: null });
  await t.rejects(byok.rotate({ ...rotation, secret: 'another secret' }), { code: 'svc/runtime/conflict' });
  const elsewhere = { ...revocation, environmentId: 'env_other' };
  await t.rejects(byok.revoke(elsewhere), { code: 'svc/runtime/not_found' });

  t.same(await eventNames(id), [
    'byok.credential.created',
    'byok.credential.rotated',
    'byok.credential.rotated',
    'byok.credential.rotated',
    'byok.credential.revoked',
  ]);
  t.notMatch(await told(), /the (first|second|third|fourth) secret|eyJ/);
});

const newTool: NewTool = {
  ...tenant,
  ...audit(),
  name: 'Orders',
  url: 'https://tools.example/orders',
  method: 'POST',
  timeoutMs: 5_000,
  retryMaxAttempts: 1,
  retryBackoffMs: 250,
  requiresApproval: false,
  description: null,
  inputSchema: null,
  metadata: {},
  headers: { Authorization: 'Bearer hush-hush', 'X-Tenant': 'seven' },
};

t.test('a signing secret that is rotated: sealed, told, and forgotten when its grace is over', async t => {
  const { tool, signingSecret: first } = await tools.create(newTool);
  const { toolId } = tool;
  const now = Date.now();
  const rotate = (gracePeriodSeconds: number, more: object = {}) =>
    tools.rotateSecret({ ...tenant, ...audit(), now, toolId, gracePeriodSeconds, ...more });
  const kept = async () => {
    const { signingSecret, formerSecrets } = await db.em().findOneOrFail(Tool, { toolId });
    const open = (jwe: string) => vault.open(toolSigningContext(toolId), jwe);
    return Promise.all([signingSecret, ...formerSecrets.map(({ jwe }) => jwe)].map(open));
  };
  const { tool: shown, signingSecret: second } = await rotate(3_600);
  t.strictSame(shown, tool, 'what is shown stays as it is');
  t.strictSame(await kept(), [second, first]);
  const { signingSecret: third } = await rotate(60);
  const { signingSecret: fourth } = await rotate(7_200);
  t.strictSame(await kept(), [fourth, third, second], 'the three newest');
  await endToolGraces(db, now + 60_000 - 1);
  t.equal((await kept()).length, 3);
  await endToolGraces(db, now + 60_000);
  t.strictSame(await kept(), [fourth, third], 'a grace does not become longer');
  await endToolGraces(db, now + 7_200_000);
  t.strictSame(await kept(), [fourth]);
  await rotate(0);
  t.equal((await kept()).length, 1);
  t.same(
    await eventNames(toolId),
    Array.from({ length: 4 }, () => 'tool.secret.rotated'),
  );
  const told = await db.query(
    `select details::text as text from audit_logs where target_id = $1 union all select body from events where body like '%' || $1 || '%'`,
    [toolId],
  );
  t.match(JSON.stringify(told), /gracePeriodSeconds/);
  t.notMatch(JSON.stringify(told), /whsec_|eyJ/);
  const foreign = { environmentId: 'env_other' };
  await t.rejects(rotate(60, foreign), { code: 'svc/runtime/not_found' });
});

t.test("a tool's headers and signing secret are sealed; a header may keep its value", async t => {
  const { tool, signingSecret } = await tools.create(newTool);
  const { toolId } = tool;
  t.same(tool.headers, { Authorization: '[redacted]', 'X-Tenant': '[redacted]' });
  const getHeaders = async (): Promise<unknown> => {
    const { sealedHeaders = null } = await db.em().findOneOrFail(Tool, { toolId });
    return sealedHeaders === null
      ? null
      : JSON.parse(await vault.open(toolHeadersContext(toolId), sealedHeaders));
  };
  t.same(await getHeaders(), newTool.headers);
  const row = await db.em().findOneOrFail(Tool, { toolId });
  t.equal(await vault.open(toolSigningContext(toolId), row.signingSecret), signingSecret);

  const change = (changes: Parameters<typeof tools.update>[0]['changes']) =>
    tools.update({ ...tenant, ...audit(), toolId, changes });
  t.same((await change({ headers: { authorization: '[redacted]', 'X-New': 'v' } })).headers, {
    authorization: '[redacted]',
    'X-New': '[redacted]',
  });
  t.same(await getHeaders(), { authorization: 'Bearer hush-hush', 'X-New': 'v' });
  const none = { code: 'svc/validation/invalid_request' };
  await t.rejects(change({ headers: { 'X-Tenant': '[redacted]' } }), none);
  await t.rejects(tools.create({ ...newTool, headers: { 'X-A': '[redacted]' } }), none);
  const kept = await getHeaders();
  const elsewhere = 'https://tools.example:8443/orders';
  await t.rejects(change({ url: elsewhere }), none, 'another origin without its headers');
  await t.rejects(change({ url: 'http://tools.example/orders' }), none);
  await t.rejects(change({ url: elsewhere, headers: { 'X-New': '[redacted]', 'X-A': 'a' } }), none);
  t.same(await getHeaders(), kept);
  t.equal((await tools.find(tenant, toolId))?.url, newTool.url);
  await change({ url: 'https://TOOLS.example:443/elsewhere' });
  t.same(await getHeaders(), kept, 'the same origin');
  t.equal((await change({ url: elsewhere, headers: { 'X-New': 'w' } })).url, elsewhere);
  t.same(await getHeaders(), { 'X-New': 'w' });
  await change({ headers: {} });
  t.equal(await getHeaders(), null);
  await change({ url: newTool.url });

  await db.query(`update tools set status = 'error', failures = 5, probe_at = now() where tool_id = $1`, [
    toolId,
  ]);
  t.equal((await change({ status: 'active' })).status, 'active');
  t.match(await db.em().findOneOrFail(Tool, { toolId }), { failures: 0, probeAt: null });
  await change({ status: 'active', name: 'Orders' });
  t.same(await eventNames(toolId), ['tool.status.changed'], 'what changes nothing leaves no trace');
  t.notMatch(await told(), /hush-hush|seven|whsec_|eyJ/);
  // As it is: in a pattern its plus signs would mean something.
  t.notMatch(await told(), signingSecret.slice(8, 20));
});

t.test('of versions made at once the numbers are dense, and exactly one is active', async t => {
  const { loomId, activeVersionId } = await looms.create({
    ...tenant,
    ...audit(),
    name: 'Loom',
    metadata: {},
    definition,
  });
  const target = { ...tenant, ...audit(), loomId };
  const made = await Promise.all([
    ...Array.from({ length: 12 }, (_, n) =>
      versions.create({ ...target, definition, activate: n % 2 === 0 }),
    ),
    ...Array.from({ length: 4 }, () =>
      looms.activate({ ...target, loomVersionId: activeVersionId ?? '' }).then(() => undefined),
    ),
  ]);
  const numbers = made.flatMap(version => (version === undefined ? [] : [version.version]));
  t.same(
    [...numbers].sort((a, b) => a - b),
    Array.from({ length: 12 }, (_, n) => n + 2),
  );
  const rows = await db.em().find(LoomVersion, { loomId }, { orderBy: { version: 'asc' } });
  t.same(
    rows.map(({ version }) => version),
    Array.from({ length: 13 }, (_, n) => n + 1),
  );
  const loom = await looms.find(tenant, loomId);
  t.equal(rows.filter(({ loomVersionId }) => loomVersionId === loom?.activeVersionId).length, 1);
  t.equal(rows[0]?.temperature, 0.25);
  const active = await eventNames(`"loomVersionId":"${loom?.activeVersionId}"`);
  t.equal(active.at(-1), 'loom.version.activated');

  const { data, nextCursor } = await versions.list(tenant, loomId, { limit: 8 });
  const rest = await versions.list(tenant, loomId, { limit: 8, cursor: nextCursor ?? '' });
  t.same(
    [...data, ...rest.data].map(({ version }) => version),
    Array.from({ length: 13 }, (_, n) => 13 - n),
  );
});

t.test('rules and models are kept to the character', async t => {
  const rules = [' ', 'null', 'NULL', 'a,\nb "c" \\n', '{}', '\t😀 ', 'plain'];
  const loom = await looms.create({
    ...tenant,
    ...audit(),
    name: 'Loom',
    metadata: {},
    definition: { ...definition, rules },
  });
  const { data } = await versions.list(tenant, loom.loomId, { limit: 1 });
  t.same(data[0]?.rules, rules);
  const again = await db.em().findOneOrFail(LoomVersion, { loomId: loom.loomId });
  t.same(again.rules, rules);
  const key = await byok.create({
    ...tenant,
    ...audit(),
    provider: 'llm_provider_1',
    displayName: 'K',
    secret: 'some secret',
    modelAllowlist: rules,
    metadata: {},
  });
  const keys = await byok.list(tenant, { limit: 100 }, now);
  const listed = keys.data.find(each => each.byokCredentialId === key.byokCredentialId);
  t.same(listed?.modelAllowlist, rules);
  t.same((await credentialRow(key.byokCredentialId)).modelAllowlist, rules);
});

t.test('of a request that assigns a loom to an agent and one that archives it, one is refused', async t => {
  for (let round = 0; round < 10; round++) {
    const { loomId } = await looms.create({ ...tenant, ...audit(), name: 'Loom', metadata: {}, definition });
    const [taken, archived] = await Promise.allSettled([
      agents.create({ ...tenant, ...audit(), name: 'Agent', mode: null, loomId, metadata: {} }),
      looms.update({ ...tenant, ...audit(), loomId, changes: { status: 'archived' } }),
    ]);
    t.not(taken.status, archived.status);
    const refused = taken.status === 'rejected' ? taken : archived;
    t.match(refused, { reason: { code: 'svc/runtime/conflict' } });
  }
});

t.test('budgets, and what is spent of them', async t => {
  const clock = new VirtualClock(Date.parse('2026-11-20T12:00:00Z'));
  const settings = new BudgetSettings(db, defaultLimits);
  const budgets = createBudgets({ db, clock, limits: defaultLimits });
  const threadId = newId('thread');
  const order = {
    ...tenant,
    agentRunId: newId('run'),
    threadId,
    costMicros: 0,
  } as unknown as StepRequest;
  const exceeded = (more: Partial<StepRequest> = {}) => budgets.exceeded({ ...order, ...more });
  const set = async (limits: Partial<Parameters<typeof settings.set>[0]>): Promise<void> => {
    const none = { perRunMicros: null, perThreadMicros: null, perProjectDayMicros: null };
    await settings.set({ ...tenant, ...audit(clock.now()), ...none, onExceeded: 'suggest', ...limits });
    await clock.advance(1_000);
  };
  const run = async (at: string, estimatedCostMicros: number, more: object = {}): Promise<void> => {
    const createdAt = new Date(at);
    await db.em().insert(AgentRun, {
      ...tenant,
      agentRunId: newId('run'),
      threadId,
      status: 'succeeded',
      provider: 'llm_provider_1',
      model: 'm',
      mode: 'auto',
      estimatedCostMicros,
      createdAt,
      updatedAt: createdAt,
      state: {},
      version: 1,
      ...more,
    });
  };
  t.equal(await exceeded({ costMicros: 1e9 }), undefined, 'none were ever set');
  t.match(await settings.get(tenant, clock.now()), { perRunMicros: null, perProjectDayMicros: 50_000_000 });

  await set({ perRunMicros: 500 });
  t.equal(await exceeded({ costMicros: 499 }), undefined);
  t.same(await exceeded({ costMicros: 500 }), {
    scope: 'run',
    limitMicros: 500,
    spentMicros: 500,
    fallsTo: 'suggest',
  });

  await run('2026-11-01T00:00:00Z', 300);
  await run('2026-11-20T00:00:00Z', 400);
  await run('2026-11-19T23:59:59.999Z', 50, { threadId: newId('thread') });
  await run('2026-11-20T01:00:00Z', 5_000, { environmentId: 'env_other' });
  await run('2026-11-20T01:00:00Z', 10, { agentRunId: order.agentRunId });
  await set({ perThreadMicros: 800, onExceeded: 'paused' });
  t.equal(await exceeded({ costMicros: 99 }), undefined, 'its own row does not count twice');
  t.match(await exceeded({ costMicros: 100 }), { scope: 'thread', spentMicros: 800, fallsTo: 'paused' });
  t.equal(await exceeded({ threadId: null, costMicros: 9_000 }), undefined);

  await set({ perProjectDayMicros: 411 });
  t.equal(await exceeded(), undefined);
  await run('2026-11-20T02:00:00Z', 1, { threadId: null });
  t.equal(await exceeded(), undefined, 'a day is held for a second');
  await clock.advance(1_000);
  t.same(await exceeded(), { scope: 'project_day', limitMicros: 411, spentMicros: 411, fallsTo: 'suggest' });
  await clock.advance(12 * 3_600_000);
  t.equal(await exceeded(), undefined, 'another day');
  const environmentId = 'env_never_set';
  await run('2026-11-21T00:00:00Z', 50_000_000, { environmentId });
  const spent = await exceeded({ environmentId });
  t.match(spent, { scope: 'project_day', limitMicros: 50_000_000, fallsTo: 'paused', isDefault: true });
  t.match(spent && describeSpentBudget(spent), 'the default of $50 a day applies');
});
