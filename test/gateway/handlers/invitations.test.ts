/** Invitations to a workspace over HTTP: made, listed, revoked. */
import t from 'tap';
import { Value } from 'typebox/value';
import { eventTypes } from '../../../protocol/events.ts';
import { WorkspaceInvitation } from '../../../protocol/resources/workspace.ts';
import { startTestDatabase } from '../../support/database.ts';
import { decoded, startAuthNode } from '../auth/auth-fixture.ts';
import {
  absent,
  conflict,
  denied,
  membership,
  newAddress,
  password,
  type User,
} from './membership-fixture.ts';

const { database: db } = await startTestDatabase(t);
const node = await startAuthNode(t, db);
const { getPath, invite, invited, accept, joined, events } = membership(node, db);
const day = 86_400_000;

async function list(user: User, query = ''): Promise<Record<string, unknown>[]> {
  const { status, body } = await user.client.call('GET', `${getPath(user)}${query}`);
  t.equal(status, 200);
  return body['data'] as Record<string, unknown>[];
}

const revoke = (user: User, invitationId: unknown) =>
  user.client.call('DELETE', `${getPath(user)}/${String(invitationId)}`);

t.test('an admin invites; the invited gets a mail, the workspace an event', async t => {
  const owner = await node.signedUp();
  const { workspaceId, userId } = owner;
  const email = newAddress();
  const made = await invite(owner, email);
  t.equal(made.status, 201);
  t.ok(Value.Check(WorkspaceInvitation, made.body));
  const pending = { workspaceId, email, studioRole: 'admin', consoleRole: 'project_owner' };
  t.match(made.body, { ...pending, invitedByUserId: userId, acceptedAt: null, revokedAt: null });
  const { createdAt, expiresAt } = made.body as { createdAt: string; expiresAt: string };
  t.equal(Date.parse(expiresAt) - Date.parse(createdAt), 7 * day);

  const mail = decoded(await node.mailTo(email));
  t.match(mail, 'http://skein.test/studio/join#token=');
  t.match(mail, owner.email);
  const token = await node.tokenTo(email, 'join');
  t.notOk(JSON.stringify(made.body).includes(token), 'the token is in the mail alone');
  const [stored] = await db.query<{ row: string }>(
    'select i::text as row from invitations i where email = $1',
    [email],
  );
  t.notOk(stored?.row.includes(token));

  const [event] = await events(owner);
  t.equal(event?.eventName, 'workspace.invitation.created');
  t.ok(Value.Check(eventTypes['workspace.invitation.created'].data, event?.data));
  t.match(event?.data, { actor: { type: 'user', id: userId }, invitation: made.body });
  t.same(await list(owner), [made.body]);
});

t.test('roles are as asked for, and by default fit each other', async t => {
  const owner = await node.signedUp();
  for (const [asked, given] of [
    [{}, { studioRole: 'admin', consoleRole: 'project_owner' }],
    [{ studioRole: 'viewer' }, { studioRole: 'viewer', consoleRole: 'viewer' }],
    [
      { studioRole: 'viewer', consoleRole: 'agent' },
      { studioRole: 'viewer', consoleRole: 'agent' },
    ],
    [{ consoleRole: 'viewer' }, { studioRole: 'admin', consoleRole: 'viewer' }],
  ]) {
    t.match(await invite(owner, newAddress(), asked), { status: 201, body: given });
  }
  for (const bad of [
    { studioRole: 'owner' },
    { studioRole: 'developer' },
    { consoleRole: 'boss' },
    { x: 1 },
  ]) {
    t.match(await invite(owner, newAddress(), bad), { status: 422 });
  }
});

t.test('an invalid address is 422, a disposable one has its own error', async t => {
  const owner = await node.signedUp();
  for (const email of [
    '',
    'nobody',
    `${'x'.repeat(310)}@example.com`,
    'a@example.com\r\nBcc: b@example.com',
    'nul\u0000@example.com',
    'lone\ud800@example.com',
    null,
    7,
  ]) {
    t.match(await invite(owner, email as string), {
      status: 422,
      body: { error: 'svc/validation/invalid_request' },
    });
  }
  t.match(await invite(owner, 'someone@mailinator.com'), {
    status: 422,
    body: { error: 'svc/auth/email_domain_not_allowed' },
  });
  t.same(await list(owner), []);
});

t.test('an address has one open invitation, in any spelling; members have none', async t => {
  const owner = await node.signedUp();
  const email = newAddress();
  t.equal((await invite(owner, email)).status, 201);
  t.match(await invite(owner, email.toUpperCase()), conflict);
  t.match(await invite(owner, owner.email), conflict);
  const member = await joined(owner, 'viewer');
  t.match(await invite(owner, member.email), conflict);
  const other = await node.signedUp();
  t.equal((await invite(other, email)).status, 201, 'another workspace is another matter');
});

t.test('of invitations to one address at once, one is made', async t => {
  const owner = await node.signedUp();
  const email = newAddress();
  const replies = await Promise.all([1, 2, 3, 4].map(() => invite(owner, email)));
  t.same(replies.map(reply => reply.status).sort(), [201, 409, 409, 409]);
  t.equal((await list(owner)).length, 1);
  t.equal((await events(owner)).length, 1);
});

t.test('one that has expired makes room for another, and is closed by it', async t => {
  const owner = await node.signedUp();
  const email = newAddress();
  const first = await invite(owner, email);
  node.clock.shift(7 * day + 1000);
  await owner.client.call('POST', '/studio/auth/login', { body: { email: owner.email, password } });
  const second = await invite(owner, email);
  t.equal(second.status, 201);
  t.match(await list(owner), [
    { invitationId: second.body['invitationId'], revokedAt: null },
    { invitationId: first.body['invitationId'], revokedAt: /^20/ },
  ]);
  t.same(
    (await events(owner)).map(event => event.eventName),
    ['created', 'revoked', 'created'].map(what => `workspace.invitation.${what}`),
  );
});

t.test('an Idempotency-Key invites once', async t => {
  const owner = await node.signedUp();
  await node.verify(owner.email);
  const parts = { body: { email: newAddress() }, headers: { 'idempotency-key': 'once' } };
  const one = await owner.client.call('POST', getPath(owner), parts);
  const two = await owner.client.call('POST', getPath(owner), parts);
  t.same([two.status, two.body], [201, one.body]);
  t.equal((await list(owner)).length, 1);
});

t.test(
  'a member who was just removed or demoted invites nobody, whatever other nodes have cached',
  async t => {
    const owner = await node.signedUp();
    const removed = await joined(owner, 'admin');
    const demoted = await joined(owner, 'admin');
    for (const admin of [removed, demoted]) t.equal((await invite(admin, newAddress())).status, 201);
    await db.query(`update workspace_members set role = 'viewer' where workspace_id = $1 and user_id = $2`, [
      demoted.workspaceId,
      demoted.userId,
    ]);
    t.match(await invite(demoted, newAddress()), denied);
    await db.query('delete from workspace_members where workspace_id = $1 and user_id = $2', [
      removed.workspaceId,
      removed.userId,
    ]);
    t.match(await invite(removed, newAddress()), absent);
  },
);

t.test('a revoked invitation opens nothing; once more changes nothing', async t => {
  const owner = await node.signedUp();
  const email = newAddress();
  const token = await invited(owner, email);
  const [open] = await list(owner);
  t.equal((await revoke(owner, open?.['invitationId'])).status, 204);
  t.equal((await revoke(owner, open?.['invitationId'])).status, 204);
  const [revoked] = await list(owner);
  t.match(revoked, { revokedAt: /^20/ });
  t.match(await accept(node.client(), token, password), absent);
  const [, event, ...none] = await events(owner);
  t.equal(event?.eventName, 'workspace.invitation.revoked');
  t.ok(Value.Check(eventTypes['workspace.invitation.revoked'].data, event?.data));
  t.match(event?.data, { invitation: revoked });
  t.same(none, []);
  t.equal((await invite(owner, email)).status, 201, 'and the address can be invited again');
});

t.test('an accepted invitation is past revoking', async t => {
  const owner = await node.signedUp();
  const token = await invited(owner, newAddress());
  t.equal((await accept(node.client(), token, password)).status, 200);
  const [accepted] = await list(owner);
  t.match(accepted, { acceptedAt: /^20/, revokedAt: null });
  t.match(await revoke(owner, accepted?.['invitationId']), absent);
});

t.test('accepted and revoked at once: one of the two', async t => {
  const owner = await node.signedUp();
  for (let round = 0; round < 4; round++) {
    const token = await invited(owner, newAddress());
    const [open] = await list(owner);
    const [accepted, revoked] = await Promise.all([
      accept(node.client(), token, password),
      revoke(owner, open?.['invitationId']),
    ]);
    t.same([accepted.status, revoked.status].sort(), accepted.status === 200 ? [200, 404] : [204, 404]);
    const [after] = await list(owner);
    t.equal(after?.['acceptedAt'] === null, accepted.status !== 200);
    t.equal(after?.['revokedAt'] === null, revoked.status !== 204);
  }
});

t.test('who may: viewers read, strangers and keys find nothing', async t => {
  const owner = await node.signedUp();
  const made = await invite(owner, newAddress());
  const invitationId = made.body['invitationId'];
  const viewer = await joined(owner, 'viewer');
  t.match(await invite(viewer, newAddress()), denied);
  t.equal((await list(viewer)).length, 1);
  t.match(await revoke(viewer, invitationId), absent, 'its list of statuses has no 403');

  const outsider = await node.signedUp();
  const trespasser = { ...outsider, workspaceId: owner.workspaceId };
  t.match(await invite(trespasser, newAddress()), absent);
  t.match(await outsider.client.call('GET', getPath(owner)), absent);
  t.match(await revoke(trespasser, invitationId), absent);
  t.match(await revoke(outsider, invitationId), absent, 'through a workspace of their own neither');
  const nowhere = { ...outsider, workspaceId: 'ws_00000000000000000000000000' };
  const same = async (one: User, two: User) => {
    const bodies = await Promise.all([one, two].map(user => user.client.call('GET', getPath(user))));
    return bodies.map(({ body }) => ({ ...body, requestId: '' }));
  };
  const [foreign, missing] = await same(trespasser, nowhere);
  t.same(foreign, missing, 'a foreign workspace and none are the same');

  const admin = await joined(owner, 'admin');
  t.equal((await invite(admin, newAddress())).status, 201);
  t.equal((await revoke(admin, invitationId)).status, 204);

  const { projectId } = owner;
  const keyBody = { projectId, name: 'all', environment: 'test', scopes: ['*'] };
  const key = await owner.client.call('POST', '/api-keys', { body: keyBody });
  const byKey = { ...owner, client: node.client() };
  byKey.client.token = String(key.body['secret']);
  t.match(await invite(byKey, newAddress()), denied);
  t.equal((await byKey.client.call('GET', getPath(owner))).status, 401);
  t.equal((await node.client().call('GET', getPath(owner))).status, 401);
});

t.test('the list pages, newest first, and refuses a foreign cursor', async t => {
  const owner = await node.signedUp();
  const emails = [newAddress(), newAddress(), newAddress()];
  for (const email of emails) await invite(owner, email);
  const first = await owner.client.call('GET', `${getPath(owner)}?limit=2`);
  t.match(first.body, { hasMore: true, data: [{ email: emails[2] }, { email: emails[1] }] });
  const cursor = String(first.body['nextCursor']);
  const second = await owner.client.call('GET', `${getPath(owner)}?limit=2&cursor=${cursor}`);
  t.match(second.body, { hasMore: false, nextCursor: null, data: [{ email: emails[0] }] });
  const other = await node.signedUp();
  t.match(await other.client.call('GET', `${getPath(other)}?cursor=${cursor}`), {
    status: 400,
    body: { error: 'svc/runtime/invalid_request' },
  });
});
