/** Which version answers a thread: by the ids alone, on every node and after every change of the share, on a real database. */
import { createHash } from 'node:crypto';
import t from 'tap';
import { agentRules as rules } from '../../../gateway/agents/rules.ts';
import { newId } from '../../../protocol/ids.ts';
import { Agents, findAgentHead } from '../../../storage/agents/agents.ts';
import type { LoomDefinition } from '../../../storage/agents/loom-definition.ts';
import { LoomVersions } from '../../../storage/agents/loom-versions.ts';
import { Looms } from '../../../storage/agents/looms.ts';
import type { AuditContext } from '../../../storage/audit/record.ts';
import { accountServices, origin } from '../../support/accounts.ts';
import { startTestDatabase } from '../../support/database.ts';

const { database: db } = await startTestDatabase(t);
const { cursors, newPerson } = accountServices(db);
const { projectId, environmentId, userId } = await newPerson();
const tenant = { projectId, environmentId };
const audit: AuditContext = { author: { type: 'user', id: userId }, origin, now: Date.now() };
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
  mode: 'auto',
  temperature: null,
  maxTokens: null,
  metadata: {},
};

/** An agent whose loom has a version beside the active one, in another mode. */
async function newSetting() {
  const loom = await looms.create({ ...tenant, ...audit, name: 'Loom', metadata: {}, definition });
  const { loomId, activeVersionId } = loom;
  const target = { ...tenant, ...audit, loomId };
  const other = { ...definition, model: 'model-2', mode: 'suggest' as const };
  const { loomVersionId } = await versions.create({ ...target, definition: other, activate: false });
  const { agentId } = await agents.create({
    ...tenant,
    ...audit,
    name: 'Agent',
    mode: null,
    loomId,
    metadata: {},
  });
  const change = (changes: object, more: object = {}) =>
    agents.update({ ...tenant, ...audit, agentId, changes, ...more });
  const split = (percent: number, version = loomVersionId) =>
    change({ split: { loomVersionId: version, percent } });
  const read = (threadId: string | null) => findAgentHead(db, tenant, agentId, threadId);
  return {
    agentId,
    loomId,
    target,
    base: String(activeVersionId),
    other: loomVersionId,
    change,
    split,
    read,
  };
}

const threads = Array.from({ length: 400 }, () => newId('thread'));

type Setting = Awaited<ReturnType<typeof newSetting>>;

async function findOthers({ read, other }: Setting): Promise<Set<string>> {
  const taken = new Set<string>();
  for (const threadId of threads) if ((await read(threadId))?.loomVersionId === other) taken.add(threadId);
  return taken;
}

t.test('of a hundred threads so many have the other version, always the same', async t => {
  const setting = await newSetting();
  t.equal((await findOthers(setting)).size, 0, 'without a split');
  await setting.split(10);
  const [{ splitId = '' } = {}] = await db.query<{ splitId: string }>(
    `select split_id as "splitId" from agents where agent_id = $1`,
    [setting.agentId],
  );
  const bucket = (threadId: string): number =>
    createHash('sha256').update(`${splitId}:${threadId}`).digest().readUInt32BE(0) % 100;
  const ten = await findOthers(setting);
  t.strictSame(ten, new Set(threads.filter(threadId => bucket(threadId) < 10)), 'by both ids alone');
  t.ok(ten.size > 15 && ten.size < 70, `about a tenth: ${ten.size}`);

  await setting.split(60);
  const sixty = await findOthers(setting);
  t.ok(
    [...ten].every(threadId => sixty.has(threadId)),
    'those that had it keep it',
  );
  t.ok(sixty.size > 190 && sixty.size < 290);
  await setting.split(100);
  t.equal((await findOthers(setting)).size, threads.length);
  await setting.split(0);
  t.equal((await findOthers(setting)).size, 0);
  await setting.split(10);
  t.strictSame(await findOthers(setting), ten, 'and have it again');

  await setting.change({ split: null });
  await setting.split(10);
  t.notSame(await findOthers(setting), ten, 'another split takes other threads');
});

t.test('the head is that of the version, and without a thread that of the active one', async t => {
  const { split, read, base, other } = await newSetting();
  const started = await split(100);
  t.match(started, {
    mode: 'auto',
    activeLoomVersionId: base,
    split: { loomVersionId: other, percent: 100, startedAt: /^20/ },
  });
  t.match(await read(newId('thread')), { loomVersionId: other, model: 'model-2', mode: 'suggest' });
  t.match(await read(null), { loomVersionId: base, model: 'model-1', mode: 'auto' });
  t.equal((await split(50)).split?.startedAt, started.split?.startedAt, 'another share is the same split');
});

t.test('a split ends with an activation, with the loom and in the archive', async t => {
  const { agentId, target, split, read, change, base, other } = await newSetting();
  const shown = async () => (await agents.find(tenant, agentId))?.split;
  await split(100);
  await looms.activate({ ...target, loomVersionId: other });
  t.equal(await shown(), null);
  await looms.activate({ ...target, loomVersionId: base });
  t.equal(await shown(), null, 'going back does not bring it back');
  t.match(await read(newId('thread')), { loomVersionId: base });

  await split(100);
  t.match(await shown(), { percent: 100 });
  await versions.create({ ...target, definition, activate: true });
  t.equal(await shown(), null, 'a new version that is activated');

  const elsewhere = await newSetting();
  await split(100);
  t.equal((await change({ loomId: elsewhere.loomId })).split, null);
  t.equal((await change({ loomId: target.loomId })).split, null);

  await split(100);
  t.equal((await change({}, { archived: true })).split, null);
  t.equal((await change({}, { archived: false })).split, null);
  t.match(await change({ loomId: elsewhere.loomId, split: { loomVersionId: elsewhere.other, percent: 3 } }), {
    loomId: elsewhere.loomId,
    split: { loomVersionId: elsewhere.other, percent: 3 },
  });
});

t.test('what cannot be split is refused, and the version of a split stays published', async t => {
  const { target, split, change, base, other } = await newSetting();
  const strange = await newSetting();
  await t.rejects(split(10, base), { code: 'svc/runtime/conflict', message: /active one/ });
  await t.rejects(split(10, strange.other), { code: 'svc/runtime/not_found' });
  await split(10);
  const archive = (loomVersionId: string) =>
    versions.setStatus({ ...target, loomVersionId, status: 'archived' });
  await t.rejects(archive(other), { code: 'svc/runtime/conflict', message: /some threads/ });
  await change({ split: null });
  await archive(other);
  await t.rejects(split(10), { code: 'svc/runtime/conflict', message: /archived/ });
  await change({ loomId: null });
  await t.rejects(split(10), { code: 'svc/runtime/conflict', message: /no loom/ });
  await strange.change({}, { archived: true });
  await t.rejects(strange.split(10), { code: 'svc/runtime/conflict', message: /agent is archived/ });
});
