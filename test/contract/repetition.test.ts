/**
 * Every POST that takes an Idempotency-Key, when the answer to its commit is lost: nobody knows whether the work was done, and it is not
 * done again. Then many at once, and another payload.
 */
import t from 'tap';
import { errors } from '../../protocol/errors.ts';
import type { Operation } from '../../protocol/operation.ts';
import { operations, type OperationId } from '../../protocol/operations/table.ts';
import type { Asked, Client, Refusal, Reply } from '../node/client.ts';
import { Proxy } from '../support/proxy.ts';
import { withTimeLimit } from '../support/time-limit.ts';
import { startContractFixture } from './contract-fixture.ts';
import { good, put } from './refusals.ts';
import { scenarios } from './scenarios/all.ts';

let proxy: Proxy | undefined;
const fixture = await startContractFixture(t, async address => {
  const url = new URL(address);
  proxy = new Proxy({ host: url.hostname, port: Number(url.port) });
  t.teardown(() => proxy?.close());
  url.host = `127.0.0.1:${await proxy.listen()}`;
  return url.href;
});

const rows = (Object.entries(operations) as [OperationId, Operation][]).filter(
  ([, { method, idempotency }]) => method === 'POST' && idempotency !== 'none',
);

/** A commit that carries a key: of an actor, or of storage. */
const carriesKey =
  /idempotency\.remember|insert into idempotency_keys as held \(key_hash, fingerprint, created_at/;
const conflict = 'svc/runtime/idempotency_conflict';

/** What requests make: counted where rows are added, and as a digest where a secret is replaced. Other work of the node leaves it as it is. */
const selectMade = `
  select ${[
    ...['agents', 'attachments', 'byok_credentials', 'api_keys', 'invitations', 'looms', 'loom_versions'],
    ...['partner_apps', 'workspaces', 'projects', 'environments', 'tools', 'stream_tickets', 'channels'],
    ...['stitches', 'threads', 'thread_notes', 'email_tokens', 'mails', 'audit_logs'],
  ]
    .map(table => `(select count(*) from ${table}) as ${table}`)
    .join(', ')},
    (select count(*) from messages where actor ->> 'type' <> 'agent') as messages,
    (select count(*) from webhook_deliveries where trigger <> 'scheduled') as deliveries,
    (select count(*) from events where event_name like 'agent.run.queued') as runs,
    (select md5(string_agg(secrets::text, ' ' order by stitch_id)) from stitches) as stitch_secrets,
    (select md5(string_agg(status || coalesce(rotation_grace_expires_at::text, ''), ' ' order by api_key_id)) from api_keys) as graces,
    (select md5(string_agg(secret || coalesce(previous_secret, ''), ' ' order by byok_credential_id))
      from byok_credentials) as byok_secrets,
    (select md5(string_agg(app_secret, ' ' order by partner_app_credential_id)) from partner_apps) as app_secrets`;

async function countMade(): Promise<object> {
  const [made] = await fixture.database.query(selectMade);
  return made ?? {};
}

const isReplay = ({ headers }: Reply<unknown>): boolean => headers['idempotent-replayed'] === 'true';

/** The answer once the first request is not in progress any more. */
async function getSettled(by: Client, id: OperationId, asked: Asked): Promise<Reply<unknown>> {
  for (;;) {
    const reply: Reply<unknown> = await by.ask(id, asked);
    const { error, details } = (reply.body ?? {}) as Refusal;
    if (error !== conflict || details?.['reason'] !== 'in_progress') return reply;
    t.match(reply.headers, { 'retry-after': '1' });
  }
}

/** A request that differs, where there is one: in its name, or else in what it is about. */
async function createOther(id: OperationId, asked: Asked): Promise<Asked> {
  const body = asked.body as { readonly name?: string } | undefined;
  if (body?.name !== undefined) return put(asked, { part: 'body', name: 'name' }, 'another');
  return (await good(id, scenarios[id], fixture.sandbox)).asked;
}

for (const [id, operation] of rows) {
  const scenario = scenarios[id];
  const { status } = operation.success;

  t.test(id, async t => {
    const { asked, by } = await good(id, scenario, fixture.sandbox);
    const request = { ...asked, key: `lost-${id}` };

    await t.test('when the answer to its commit is lost', async t => {
      const lost = proxy?.loseAnswer(carriesKey, 'COMMIT\0');
      const first = await by.ask(id, request);
      await withTimeLimit(lost ?? Promise.reject(new Error('no proxy')), 'loss of the answer');
      t.ok([status, errors['svc/runtime/unavailable'].http].includes(first.status), first.text);
      const made = await countMade();
      const again = await getSettled(by, id, request);
      t.equal(again.status, status, again.text);
      t.ok(isReplay(again), 'it finds what the first has made');
      if (first.status === status) t.equal(again.text, first.text);
      t.same(await countMade(), made, 'and makes nothing more');
    });

    await t.test('when it comes twice at once', async t => {
      const twin = await good(id, scenario, fixture.sandbox);
      const twins = { ...twin.asked, key: `twice-${id}` };
      const replies = await Promise.all([1, 2].map(() => getSettled(twin.by, id, twins)));
      for (const reply of replies) t.equal(reply.status, status, reply.text);
      t.equal(new Set(replies.map(({ text }) => text)).size, 1, 'both get one answer');
      t.equal(replies.filter(reply => !isReplay(reply)).length, 1, 'which is of one of them');
    });

    // Without a credential a key belongs to the payload.
    if (operation.auth === 'none') return;
    const other = await createOther(id, asked);
    if (JSON.stringify(other) === JSON.stringify(asked)) return;
    await t.test('with another payload', async t => {
      const made = await countMade();
      const refused = await by.ask(id, { ...other, key: request.key });
      t.match(refused, { status: 409, body: { error: conflict, details: { reason: 'other_payload' } } });
      t.same(await countMade(), made);
    });
  });
}

t.test('the node', t => fixture.assertHealthy(t));
