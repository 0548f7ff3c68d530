/** What users do with their own account, over HTTP on a real PostgreSQL: sessions, password, e-mail address, and its end. */
import t from 'tap';
import { User } from '../../../storage/entities/accounts.ts';
import { startTestDatabase } from '../../support/database.ts';
import { decoded, type Client, startAuthNode } from '../auth/auth-fixture.ts';

const { database: db } = await startTestDatabase(t);
const node = await startAuthNode(t, db);
const password = 'correct horse battery';
const otherPassword = 'staple of another sort';
const invalid = { status: 401, body: { error: 'svc/auth/invalid_token' } };
const wrong = { status: 401, body: { error: 'svc/auth/invalid_credentials' } };
const absent = { status: 404, body: { error: 'svc/runtime/not_found' } };
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0';

interface SessionView {
  readonly sessionId: string;
  readonly current: boolean;
}

async function logIn(
  email: string,
  headers: Record<string, string> = {},
  secret = password,
): Promise<Client> {
  const client = node.client();
  const reply = await client.call('POST', '/studio/auth/login', {
    body: { email, password: secret },
    headers,
  });
  t.equal(reply.status, 200);
  return client;
}

const list = async (client: Client): Promise<readonly SessionView[]> =>
  (await client.call('GET', '/studio/sessions')).body['data'] as readonly SessionView[];
const post = (client: Client, path: string, body: unknown) =>
  client.call('POST', `/studio/auth/${path}`, { body });

let made = 0;
const newAddress = () => `new-${(made += 1)}@example.com`;

async function countMails(kind: string, recipient: string): Promise<number> {
  const rows = await db.query('select 1 from mails where kind = $1 and recipient = $2', [kind, recipient]);
  return rows.length;
}

t.test('sessions are listed with their device, address and use, and which one asks', async t => {
  const { client, email } = await node.signedUp();
  const elsewhere = await logIn(email, { 'user-agent': firefox });
  const seen = await list(client);
  t.match(
    seen.map(({ current }) => current),
    [false, true],
    'the newest first',
  );
  t.match(seen[0], {
    device: { browser: 'Firefox', system: 'Linux' },
    userAgent: firefox,
    address: '127.0.0.1',
  });
  const own = (await list(elsewhere)).find(({ current }) => current);
  t.equal(own?.sessionId, seen[0]?.sessionId);
  const { body } = await client.call('GET', '/studio/sessions?limit=1');
  t.match(body, { hasMore: true, data: [{ sessionId: seen[0]?.sessionId }] });
  const next = await client.call('GET', `/studio/sessions?limit=1&cursor=${String(body['nextCursor'])}`);
  t.match(next.body, { hasMore: false, nextCursor: null, data: [{ current: true }] });
});

t.test('a session is ended by its user, and by nobody else', async t => {
  const { client, email } = await node.signedUp();
  const elsewhere = await logIn(email);
  const sessionId = (await list(client)).find(({ current }) => !current)?.sessionId ?? '';
  const { client: outsider } = await node.signedUp();
  t.match(await outsider.call('DELETE', `/studio/sessions/${sessionId}`), absent);
  t.equal((await elsewhere.call('GET', '/studio/me')).status, 200);
  t.equal((await client.call('DELETE', `/studio/sessions/${sessionId}`)).status, 204);
  t.match(await elsewhere.call('GET', '/studio/me'), invalid, 'its access token at once');
  t.match(await elsewhere.call('POST', '/studio/auth/refresh'), invalid);
  t.match(await client.call('DELETE', `/studio/sessions/${sessionId}`), absent, 'it has ended');
  t.equal((await list(client)).length, 1);
});

t.test('all others end, and this one stays', async t => {
  const { client, email } = await node.signedUp();
  const others = [await logIn(email), await logIn(email)];
  t.match(await client.call('POST', '/studio/sessions/end-others'), { status: 200, body: { ended: 2 } });
  for (const other of others) t.match(await other.call('GET', '/studio/me'), invalid);
  t.equal((await client.call('GET', '/studio/me')).status, 200);
  t.equal((await client.call('POST', '/studio/auth/refresh')).status, 200);
  t.match(await client.call('POST', '/studio/sessions/end-others'), { body: { ended: 0 } });
});

t.test('the password changes with the present one; other sessions and mailed links end', async t => {
  const { client, email } = await node.signedUp();
  await node.verify(email);
  const elsewhere = await logIn(email);
  await post(client, 'forgot-password', { email });
  const token = await node.tokenTo(email, 'reset');
  t.match(await post(client, 'change-password', { password: 'wrong', newPassword: otherPassword }), wrong);
  t.match(await post(client, 'change-password', { password, newPassword: 'short' }), { status: 422 });
  t.equal((await elsewhere.call('GET', '/studio/me')).status, 200);

  t.equal((await post(client, 'change-password', { password, newPassword: otherPassword })).status, 204);
  t.equal((await client.call('GET', '/studio/me')).status, 200, 'who changed it stays signed in');
  t.match(await elsewhere.call('GET', '/studio/me'), invalid);
  t.match(await post(node.client(), 'login', { email, password }), wrong);
  t.match(await post(node.client(), 'reset-password', { token, password: 'a third password' }), invalid);
  await logIn(email, {}, otherPassword);
  t.equal(await countMails('account_notice', email), 1);
});

t.test('of two changes of one password at once one wins', async t => {
  const { client } = await node.signedUp();
  const replies = await Promise.all(
    ['one new password', 'two new passwords'].map(newPassword =>
      post(client, 'change-password', { password, newPassword }),
    ),
  );
  t.same(replies.map(({ status }) => status).sort(), [204, 401]);
});

t.test(
  'the address changes when the new one is proven with the password, and the old one is told',
  async t => {
    const { client, email, userId } = await node.signedUp();
    await node.verify(email);
    const earlier = await node.mailTo(email);
    const newEmail = newAddress();
    t.match(await post(client, 'change-email', { newEmail, password: 'wrong' }), wrong);
    t.equal((await post(client, 'change-email', { newEmail, password })).status, 200);
    const token = await node.tokenTo(newEmail, 'email');
    const notice = decoded(await node.mailTo(email, earlier));
    t.match(notice, newEmail, 'the present address learns of it in time');
    t.match((await client.call('GET', '/studio/me')).body, { email, emailVerified: true });

    const confirm = (secret: string) => post(node.client(), 'confirm-email', { token, password: secret });
    t.match(await confirm('wrong'), wrong, 'the link alone is not enough');
    t.equal((await confirm(password)).status, 200);
    t.match((await client.call('GET', '/studio/me')).body, { userId, email: newEmail, emailVerified: true });
    t.match(await confirm(password), invalid, 'once');
    t.match(await post(node.client(), 'login', { email, password }), wrong);
    await logIn(newEmail);
    t.equal(await countMails('account_notice', email), 2);
  },
);

t.test('an address that nothing has proven is told nothing: it may be a stranger’s', async t => {
  const { client, email } = await node.signedUp();
  t.equal((await post(client, 'change-password', { password, newPassword: otherPassword })).status, 204);
  const newEmail = newAddress();
  t.equal((await post(client, 'change-email', { newEmail, password: otherPassword })).status, 200);
  const token = await node.tokenTo(newEmail, 'email');
  const confirmed = await post(node.client(), 'confirm-email', { token, password: otherPassword });
  t.equal(confirmed.status, 200);
  t.equal(await countMails('account_notice', email), 0);
  t.equal(
    (await post(client, 'change-password', { password: otherPassword, newPassword: password })).status,
    204,
  );
  t.equal(await countMails('account_notice', newEmail), 1, 'from its proof on it is');
});

t.test('accounts that come and go have five mails an hour sent to their address', async t => {
  const email = newAddress();
  const countLinks = async (): Promise<number> => {
    const kind = 'verify_account';
    return (await countMails(kind, email)) + (await countMails(kind, email.toUpperCase()));
  };
  const signUp = async (spelling: string): Promise<Client> => {
    const client = node.client();
    t.equal((await post(client, 'signup', { email: spelling, password })).status, 200);
    return client;
  };
  for (let i = 0; i < 6; i++) {
    const client = await signUp(i % 2 === 0 ? email : email.toUpperCase());
    const { body: me } = await client.call('GET', '/studio/me');
    await client.call('DELETE', `/workspaces/${String(me['workspaceId'])}`);
    t.equal((await post(client, 'delete-account', { password })).status, 204);
  }
  t.equal(await countLinks(), 5);
  const client = await signUp(email);
  t.equal(await countLinks(), 5, 'the address is not kept from its owner');
  t.match(await post(client, 'resend-verification', undefined), {
    status: 429,
    body: { error: 'svc/rate_limit/exceeded' },
  });
  node.clock.shift(3_600_000);
  t.equal((await post(await logIn(email), 'resend-verification', undefined)).status, 200);
  t.equal(await countLinks(), 6);
});

t.test('five links within an hour are mailed to those whom a user names', async t => {
  const { client, email } = await node.signedUp();
  const addresses = Array.from({ length: 7 }, newAddress);
  const ask = (newEmail: string, by = client) => post(by, 'change-email', { newEmail, password });
  const replies = await Promise.all(addresses.map(newEmail => ask(newEmail)));
  t.same(replies.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 429, 429]);
  const refused = await ask(newAddress());
  t.match(refused, { status: 429, body: { error: 'svc/rate_limit/exceeded' } });
  t.equal(refused.headers.get('retry-after'), '3600');
  const mailed = await db.query(
    `select from mails where kind = 'change_email' and recipient = any ($1::text[])`,
    [addresses],
  );
  t.equal(mailed.length, 5, 'four of them are void by now, and count');
  node.clock.shift(3_600_000);
  t.equal((await ask(newAddress(), await logIn(email))).status, 200);
});

t.test('five links an hour are mailed to one address, whichever accounts name it', async t => {
  const [one, other] = [await node.signedUp(), await node.signedUp()];
  const newEmail = newAddress();
  const ask = ({ client }: typeof one, spelling: string) =>
    post(client, 'change-email', { newEmail: spelling, password });
  const asked = [one, other, one, other, one, other].map((by, index) =>
    ask(by, index % 3 === 0 ? newEmail.toUpperCase() : newEmail),
  );
  const replies = await Promise.all(asked);
  t.same(replies.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 429]);
  const sent = await db.query(`select from mails where lower(recipient) = $1`, [newEmail]);
  t.equal(sent.length, 5);
  const owner = node.client();
  t.equal((await post(owner, 'signup', { email: newEmail, password })).status, 200);
  t.equal(await countMails('verify_account', newEmail), 0, 'links that verify it are of the five');
});

t.test('a link is void after another request, a new password, and when the address is taken', async t => {
  const { client } = await node.signedUp();
  const [first, second, third] = [newAddress(), newAddress(), newAddress()];
  await post(client, 'change-email', { newEmail: first, password });
  await post(client, 'change-email', { newEmail: second, password });
  const tokens = [await node.tokenTo(first, 'email'), await node.tokenTo(second, 'email')];
  const confirm = (token: unknown, secret = password) =>
    post(node.client(), 'confirm-email', { token, password: secret });
  t.match(await confirm(tokens[0]), invalid);
  await post(client, 'change-password', { password, newPassword: otherPassword });
  t.match(await confirm(tokens[1], otherPassword), invalid);
  await post(client, 'change-email', { newEmail: third, password: otherPassword });
  const token = await node.tokenTo(third, 'email');
  await post(node.client(), 'signup', { email: third.toUpperCase(), password });
  t.match(await confirm(token, otherPassword), { status: 409, body: { error: 'svc/auth/email_in_use' } });
});

t.test('of several accounts that want one address one gets it', async t => {
  const newEmail = newAddress();
  const people = [];
  for (let i = 0; i < 3; i += 1) {
    const { client } = await node.signedUp();
    await post(client, 'change-email', { newEmail, password });
    people.push(await node.tokenTo(newEmail, 'email'));
  }
  const replies = await Promise.all(
    people.map(token => post(node.client(), 'confirm-email', { token, password })),
  );
  t.same(replies.map(({ status }) => status).sort(), [200, 409, 409]);
});

t.test('an account is deleted once its workspaces have other owners or are archived', async t => {
  const { client, email, userId, workspaceId } = await node.signedUp();
  await node.verify(email);
  const { client: other, email: otherEmail, userId: otherId } = await node.signedUp();
  t.match(await post(client, 'delete-account', { password: 'wrong' }), wrong);
  t.match(await post(client, 'delete-account', { password }), {
    status: 409,
    body: { details: { workspaces: [{ workspaceId, name: 'My workspace' }] } },
  });
  await client.call('POST', `/workspaces/${workspaceId}/invitations`, { body: { email: otherEmail } });
  const token = await node.tokenTo(otherEmail, 'join');
  t.equal((await post(other, 'accept-invitation', { token })).status, 200);
  t.match(await post(client, 'delete-account', { password }), { status: 409 }, 'an admin is no owner');
  await client.call('POST', `/workspaces/${workspaceId}/transfer-ownership`, { body: { userId: otherId } });

  t.equal((await post(client, 'delete-account', { password })).status, 204);
  t.match(await client.call('GET', '/studio/me'), invalid);
  t.match(await client.call('POST', '/studio/auth/refresh'), invalid);
  t.match(await post(node.client(), 'login', { email, password }), wrong);
  const { body: members } = await other.call('GET', `/workspaces/${workspaceId}/members`);
  t.same(
    (members['data'] as { userId: string }[]).map(member => member.userId),
    [otherId],
  );
  const row = await db.em().findOneOrFail(User, { userId });
  t.notMatch(JSON.stringify(row), email);
  t.match(row, { displayName: 'Deleted user', passwordHash: null });
  const events = await db.query(
    `select 1 from events where event_name = 'project.member.removed' and body like '%' || $1 || '%'`,
    [userId],
  );
  t.equal(events.length, 1, 'the Console learns of it');
  t.match(await post(node.client(), 'signup', { email, password }), { status: 200 }, 'the address is free');
});

t.test('an archived workspace holds nobody back', async t => {
  const { client, workspaceId } = await node.signedUp();
  await client.call('DELETE', `/workspaces/${workspaceId}`);
  t.equal((await post(client, 'delete-account', { password })).status, 204);
});

t.test('of two owners who delete their accounts at once one stays', async t => {
  const { client, email, workspaceId } = await node.signedUp();
  await node.verify(email);
  const { client: other, email: otherEmail, userId, workspaceId: own } = await node.signedUp();
  await client.call('POST', `/workspaces/${workspaceId}/invitations`, { body: { email: otherEmail } });
  await post(other, 'accept-invitation', { token: await node.tokenTo(otherEmail, 'join') });
  await client.call('PATCH', `/workspaces/${workspaceId}/members/${userId}`, { body: { role: 'owner' } });
  await other.call('DELETE', `/workspaces/${own}`);
  const replies = await Promise.all([client, other].map(each => post(each, 'delete-account', { password })));
  t.same(replies.map(({ status }) => status).sort(), [204, 409]);
});
