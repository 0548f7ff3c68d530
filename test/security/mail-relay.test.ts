/** A user cannot make a node mail text to strangers: invitations need a verified address, are few for each user, and quote only a short name. */
import t from 'tap';
import type { Client } from '../node/client.ts';
import { eventually } from '../support/eventually.ts';
import { startTestDatabase } from '../support/database.ts';
import { readMail } from '../support/mailbox.ts';
import { startSkeinOn } from '../support/skein.ts';

const { url, database } = await startTestDatabase(t);
const skein = await startSkeinOn(t, url, {
  RATE_LIMITS: '{"invitationsUser":{"limit":3,"windowSeconds":3600}}',
});
const { person, userId, workspaceId, projectId } = await skein.tenant();
const lure = `You have won! Claim your prize at https://evil.example/claim ${'now '.repeat(48)}`;

const invite = (by: Client, to: string, workspaceId: string) =>
  by.ask('createInvitation', { params: { workspaceId }, body: { email: to } });

t.test('a user without a verified address cannot invite', async t => {
  const { status, body } = await invite(person, 'a@example.com', workspaceId);
  t.match({ status, body }, { status: 403, body: { error: 'svc/auth/email_not_verified' } });
  const [mails] = await database.query(`select count(*)::int from mails where kind = 'invitation'`);
  t.same(mails, { count: 0 });
});

t.test('many workspaces do not multiply invitations, and a name is quoted and short', async t => {
  await database.query('update users set email_verified_at = now() where user_id = $1', [userId]);
  // What is known of a session is held for a second.
  await eventually('verified address', async () => {
    const body = { projectId, name: 'production' };
    return (await person.ask('createEnvironment', { body })).status === 201;
  });
  const workspaces = await Promise.all(
    [0, 1, 2, 3].map(() => person.get<{ workspaceId: string }>('createWorkspace', { body: { name: lure } })),
  );
  const statuses: number[] = [];
  for (const [n, { workspaceId }] of workspaces.entries()) {
    statuses.push((await invite(person, `stranger-${n}@example.com`, workspaceId)).status);
  }
  // The refused one above counts.
  t.same(statuses, [201, 201, 429, 429]);
  const mail = await readMail(skein.log, 'stranger-0@example.com', 'join');
  t.match(mail, '"You have won! Claim your prize at htt..."');
  t.notMatch(mail, 'evil.example');
});
