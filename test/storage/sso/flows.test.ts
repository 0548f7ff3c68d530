/** Sign-ins that are at a provider, the settings that they need, and the entries of those that fail, on a real PostgreSQL. */
import t from 'tap';
import { refuseAccount } from '../../../gateway/accounts/refusals.ts';
import { tenancyRules } from '../../../gateway/tenancy/rules.ts';
import { SsoFlows } from '../../../storage/sso/flows.ts';
import { SsoSettings } from '../../../storage/sso/settings.ts';
import { SsoSignIn } from '../../../storage/sso/sign-in.ts';
import { accountServices, auditContext, origin } from '../../support/accounts.ts';
import { startTestDatabase } from '../../support/database.ts';

const { database: db } = await startTestDatabase(t);
const services = accountServices(db);
const { hash, vault } = services;
const flows = new SsoFlows({ db, hash, vault, refuse: refuseAccount });
const settings = new SsoSettings({ db, vault, rules: tenancyRules });
const { userId, workspaceId } = await services.newPerson();
const change = { workspaceId, ...auditContext(userId) };
const provider = { issuer: 'https://id.example.com', clientId: 'skein', clientSecret: 'between the two' };
await settings.set({ ...change, ...provider });
const { proof } = await settings.addDomain(change, 'example.org');

t.test('a domain has a provider once it is proven, and while its workspace is not archived', async t => {
  t.equal(await flows.findProvider('ann@example.org'), undefined);
  await settings.markProven(change, 'example.org', proof);
  t.same(await flows.findProvider('ann@example.org'), { workspaceId, ...provider, userId: null });
  t.equal(await flows.findProvider('ann@sub.example.org'), undefined);
  await db.query('update workspaces set archived_at = now() where workspace_id = $1', [workspaceId]);
  t.equal(await flows.findProvider('ann@example.org'), undefined);
  await db.query('update workspaces set archived_at = null where workspace_id = $1', [workspaceId]);
});

t.test('nothing that a flow is made of is kept, and each part of it is another text', async t => {
  const flow = await flows.begin({ workspaceId, ...provider, userId: null }, Date.now());
  const secrets = flows.derive(flow);
  t.same(flows.derive(flow), secrets);
  t.equal(new Set([flow, ...Object.values(secrets)]).size, 4);
  t.match(secrets.verifier, /^[\w-]{43}$/, 'as RFC 7636 wants it');
  const rows = JSON.stringify(await db.query('select * from sso_flows'));
  for (const text of [flow, ...Object.values(secrets)]) t.notMatch(rows, text);
});

t.test('a flow is taken once, also when it is raced, in its time, and by its own provider', async t => {
  const now = Date.now();
  const begin = () => flows.begin({ workspaceId, ...provider, userId: null }, now);
  const raced = await begin();
  const takes = await Promise.allSettled([1, 2, 3].map(() => flows.take(raced, now)));
  t.equal(takes.filter(({ status }) => status === 'fulfilled').length, 1);
  await t.rejects(flows.take(await begin(), now + 600_000), { code: 'svc/auth/expired_token' });
  const begun = await begin();
  await settings.set({ ...change, ...provider, issuer: 'https://other.example.com' });
  await t.rejects(flows.take(begun, now), { code: 'svc/auth/invalid_token' });
});

t.test('why a provider failed is told to its own workspace alone', async t => {
  const signIns = new SsoSignIn({ ...services, db, refuse: refuseAccount });
  const member = await services.newPerson();
  await db.query(
    `insert into workspace_members (workspace_id, user_id, role, created_at, updated_at) values ($1, $2, 'viewer', now(), now())`,
    [workspaceId, member.userId],
  );
  await signIns.recordFailure({ workspaceId, userId: member.userId }, 'It is down.', origin, Date.now());
  const rows = await db.query<{ workspace_id: string; details: object }>(
    `select workspace_id, details from audit_logs where target_id = $1 and action = 'user.login_failed'`,
    [member.userId],
  );
  const details = new Map(rows.map(row => [row.workspace_id, row.details]));
  t.equal(rows.length, 2);
  t.same(details.get(workspaceId), { step: 'single_sign_on', reason: 'It is down.' });
  t.same(details.get(member.workspaceId), { step: 'single_sign_on' });
});

t.test('of addresses of no member a workspace has 30 entries an hour at most', async t => {
  const signIns = new SsoSignIn({ ...services, db, refuse: refuseAccount });
  const outsider = { workspaceId, userId: null };
  const entries = async (of = workspaceId): Promise<number> => {
    const rows = await db.query(
      `select 1 from audit_logs where workspace_id = $1 and target_id = $1 and action = 'user.login_failed'`,
      [of],
    );
    return rows.length;
  };
  const now = Date.now();
  for (let i = 0; i < 32; i++) await signIns.recordFailure(outsider, 'A wrong code.', origin, now + i);
  t.equal(await entries(), 30);
  const member = await services.newPerson();
  await signIns.recordFailure({ ...outsider, workspaceId: member.workspaceId }, 'A code.', origin, now + 100);
  t.equal(await entries(member.workspaceId), 1, 'each workspace has its own');
  await signIns.recordFailure({ workspaceId, userId }, 'A code.', origin, now + 100);
  const own = await db.query(
    `select 1 from audit_logs where target_id = $1 and action = 'user.login_failed'`,
    [userId],
  );
  t.equal(own.length, 1, 'members are not counted');
  await signIns.recordFailure(outsider, 'A wrong code.', origin, now + 3_600_100);
  t.equal(await entries(), 31);
});
