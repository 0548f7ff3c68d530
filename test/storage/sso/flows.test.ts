/** Sign-ins that are at a provider, and the settings that they need, on a real PostgreSQL. */
import t from 'tap';
import { refuseAccount } from '../../../gateway/accounts/refusals.ts';
import { tenancyRules } from '../../../gateway/tenancy/rules.ts';
import { SsoFlows } from '../../../storage/sso/flows.ts';
import { SsoSettings } from '../../../storage/sso/settings.ts';
import { accountServices, auditContext } from '../../support/accounts.ts';
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
