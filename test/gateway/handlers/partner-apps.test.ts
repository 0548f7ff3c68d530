/** Credentials of partner apps: their secrets are sealed, and one that a channel uses stays. */
import t from 'tap';
import { shareSkein } from '../../support/skein.ts';
import { conflict, createPeople, type Json, type Person } from './people.ts';

const skein = await shareSkein(t);
const { database } = skein;
const { signUp } = createPeople(skein);
const appSecret = 'a secret of the app, 0123456789abcdef';
const inUse = { status: 409, body: { error: 'svc/partner_app/in_use' } };

interface App {
  readonly partnerAppCredentialId: string;
  readonly keyFingerprint: string;
  readonly verifyToken: string;
}

const create = ({ browser, workspaceId }: Person, more: Json = {}) =>
  browser.get<App>('createPartnerApp', {
    body: { workspaceId, name: 'an app', appId: '1234', appSecret, ...more },
  });
const list = ({ browser, workspaceId }: Person) =>
  browser.list('listPartnerApps', { query: { workspaceId } });
const toParams = ({ partnerAppCredentialId }: App) => ({
  params: { metaAppCredentialId: partnerAppCredentialId },
});
const rotate = ({ browser }: Person, app: App, secret = 'another secret') =>
  browser.ask<App>('rotatePartnerAppSecret', { ...toParams(app), body: { appSecret: secret } });
const revoke = ({ browser }: Person, app: App) => browser.ask('revokePartnerApp', toParams(app));

async function getRow({ partnerAppCredentialId }: App): Promise<{ text: string; secret: string }> {
  const [row] = await database.query<{ text: string; secret: string }>(
    'select a::text as text, app_secret as secret from partner_apps a where partner_app_credential_id = $1',
    [partnerAppCredentialId],
  );
  return row ?? { text: '', secret: '' };
}

/** A chatapp channel that has the credential, or none. */
const setChannel = ({ projectId }: Person, credential: string | null) =>
  database.query(
    `insert into channels (channel_id, project_id, environment_id, name, kind, status, partner_app_credential_id, created_at, updated_at, state, version)
     select 'ch_' || $1, project_id, environment_id, 'chat', 'chatapp', 'connected', $2, now(), now(), '{}', 1
     from environments where project_id = $1
     on conflict (channel_id) do update set partner_app_credential_id = excluded.partner_app_credential_id`,
    [projectId, credential],
  );

t.test('the verify token and the webhook address are shown once, the app secret never', async t => {
  const person = await signUp();
  const app = await create(person, { metadata: { team: 'blue' } });
  t.match(app, {
    appId: '1234',
    status: 'active',
    metadata: { team: 'blue' },
    webhookUrl: `${skein.url}/v1/channels/ch_REPLACE_WITH_CHANNEL_ID/chatapp/webhook`,
    verifyToken: /^[\w-]{43}$/,
  });
  const [listed] = await list(person);
  t.match(listed, { keyFingerprint: app.keyFingerprint });
  t.notMatch(listed, { verifyToken: String });
  t.notMatch(JSON.stringify([app, listed]), appSecret);
  const { text, secret } = await getRow(app);
  t.notMatch(text, appSecret, 'it is sealed');
  t.notMatch(text, app.verifyToken, 'and the token hashed');

  const { body } = await rotate(person, app);
  t.not(body.keyFingerprint, app.keyFingerprint);
  t.not((await getRow(app)).secret, secret);
  t.equal((await rotate(person, app, appSecret)).body.keyFingerprint, app.keyFingerprint);
});

t.test('one that a channel uses is not revoked, and a revoked one has no secret', async t => {
  const person = await signUp();
  const app = await create(person);
  await setChannel(person, app.partnerAppCredentialId);
  t.match(await revoke(person, app), inUse);
  await setChannel(person, null);
  for (let i = 0; i < 2; i++) t.equal((await revoke(person, app)).status, 204, 'twice is once');
  t.match(await list(person), [{ status: 'revoked', revokedAt: /^20/ }]);
  t.match(await rotate(person, app), conflict);
  t.equal((await getRow(app)).secret, '');
});

t.test('a revocation waits for a channel that is taking the credential', async t => {
  const person = await signUp();
  const app = await create(person);
  const em = database.em();
  await em.begin();
  await em.execute('select 1 from partner_apps where partner_app_credential_id = ? for share', [
    app.partnerAppCredentialId,
  ]);
  const revoking = revoke(person, app);
  await setChannel(person, app.partnerAppCredentialId);
  await em.commit();
  t.match(await revoking, inUse);
});
