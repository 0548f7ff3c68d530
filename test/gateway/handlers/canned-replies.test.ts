/** Canned replies. Isolation, permissions and repetition: test/contract. */
import t from 'tap';
import type { AuditLog } from '../../../protocol/resources/audit.ts';
import type { CannedReply } from '../../../protocol/resources/canned-reply.ts';
import type { ListOf, Refusal } from '../../node/client.ts';
import type { Tenant } from '../../node/tenant.ts';
import { shareSkein } from '../../support/skein.ts';

const skein = await shareSkein(t);

const fields = { title: 'Thanks', body: 'Thank you, {{participant.name}}!' };
const create = ({ person, projectId }: Pick<Tenant, 'person' | 'projectId'>, shortcut: string, other = {}) =>
  person.ask<CannedReply & Refusal>('createCannedReply', {
    body: { projectId, ...fields, shortcut, ...other },
  });
const list = async ({ person, projectId }: Tenant, query = {}) =>
  (await person.get<ListOf<CannedReply>>('listCannedReplies', { query: { projectId, ...query } })).data.map(
    ({ shortcut }) => shortcut,
  );

t.test('made, found, changed and deleted; each is in the audit log', async t => {
  const tenant = await skein.tenant();
  const { person, projectId, userId, workspaceId } = tenant;
  const { status, body: made } = await create(tenant, '/thanks');
  t.equal(status, 201);
  t.match(made, {
    ...fields,
    projectId,
    shortcut: '/thanks',
    createdByUserId: userId,
    updatedByUserId: userId,
  });
  const params = { cannedReplyId: made.cannedReplyId };
  t.strictSame(await person.get('getCannedReply', { params }), made);
  const changed = await person.get<CannedReply>('updateCannedReply', { params, body: { title: 'Bye' } });
  t.strictSame({ ...changed, updatedAt: '' }, { ...made, title: 'Bye', updatedAt: '' });
  t.strictSame(await person.get('updateCannedReply', { params, body: { title: 'Bye' } }), changed);
  t.equal((await person.ask('deleteCannedReply', { params })).status, 204);
  t.equal((await person.ask('getCannedReply', { params })).status, 404);
  t.equal((await person.ask('deleteCannedReply', { params })).status, 404);
  const query = { workspaceId, targetId: made.cannedReplyId };
  const { data } = await person.get<ListOf<AuditLog>>('listAuditLogs', { query });
  const actions = ['canned_reply.deleted', 'canned_reply.updated', 'canned_reply.created'];
  t.strictSame(
    data.map(({ action }) => action),
    actions,
    'the change that changed nothing is none',
  );
});

t.test('the list is by shortcut, in pages, and by how shortcut or title begins', async t => {
  const tenant = await skein.tenant();
  const { person, projectId } = tenant;
  await create(tenant, '/thanks');
  await create(tenant, '/bye', { title: 'Farewell_%' });
  await create(tenant, '/a-b_9', { title: 'Ärger' });
  t.strictSame(await list(tenant), ['/a-b_9', '/bye', '/thanks']);
  const query = { projectId, limit: 2 };
  const first = await person.get<ListOf<CannedReply>>('listCannedReplies', { query });
  t.strictSame(await list(tenant, { limit: 2, cursor: first.nextCursor }), ['/thanks']);
  for (const [q, found] of [
    ['/tha', ['/thanks']],
    ['THA', ['/thanks']],
    ['fare', ['/bye']],
    ['ärg', ['/a-b_9']],
    ['hanks', []],
    ['%', []],
    ['/', ['/a-b_9', '/bye', '/thanks']],
  ] as const) {
    t.strictSame(await list(tenant, { q }), found, q);
  }
  const foreign = await person.ask<Refusal>('listCannedReplies', {
    query: { ...query, q: 'b', cursor: first.nextCursor ?? '' },
  });
  t.equal(foreign.body.error, 'svc/runtime/invalid_request', 'a cursor is of its own list');
});

t.test('a shortcut is one reply’s, also of two that are made at once', async t => {
  const tenant = await skein.tenant();
  const { body: first } = await create(tenant, '/one');
  const { status, body } = await create(tenant, '/one');
  t.match({ status, body }, { status: 409, body: { details: { cannedReplyId: first.cannedReplyId } } });
  const both = await Promise.all([create(tenant, '/two'), create(tenant, '/two')]);
  t.strictSame(both.map(({ status }) => status).sort(), [201, 409]);
  const change = { params: { cannedReplyId: first.cannedReplyId }, body: { shortcut: '/two' } };
  t.equal((await tenant.person.ask('updateCannedReply', change)).status, 409);
  t.equal((await create(await skein.tenant(), '/one')).status, 201, 'another project has its own');
});

t.test('what cannot be is refused by its field', async t => {
  const tenant = await skein.tenant();
  const { body } = await create(tenant, '/ok');
  const params = { cannedReplyId: body.cannedReplyId };
  for (const [field, value] of [
    ['shortcut', 'thanks'],
    ['shortcut', '/'],
    ['shortcut', '/Thanks'],
    ['shortcut', '/a\n'],
    ['body', 'Hello {{name}}'],
  ] as const) {
    const made = await create(tenant, '/new', { [field]: value });
    t.match(made, { status: 422, body: { details: { issues: [{ path: `/body/${field}` }] } } }, value);
    const changed = await tenant.person.ask('updateCannedReply', { params, body: { [field]: value } });
    t.equal(changed.status, 422, value);
  }
  const made = await create(tenant, '/new', { body: 'Hello {{name}}' });
  t.match(made.body.details, { issues: [{ code: 'placeholder' }] });
});
