/**
 * Repeats every POST that takes an Idempotency-Key: after the answer to its commit is lost, so that the client does not know whether the work was
 * done; twice at once; and with another payload. The work is done once.
 */
import type { Test } from 'tap';
import { errors } from '../../protocol/errors.ts';
import type { Operation } from '../../protocol/operation.ts';
import { operations, type OperationId } from '../../protocol/operations/table.ts';
import type { Asked, Client, Refusal, Reply } from '../node/client.ts';
import { Proxy } from '../support/proxy.ts';
import { withTimeLimit } from '../support/time-limit.ts';
import { type ContractFixture, startContractFixture } from './contract-fixture.ts';
import { type Level, select } from './level.ts';
import { good, put } from './refusals.ts';
import { scenarios } from './scenarios/all.ts';

const rows = (Object.entries(operations) as [OperationId, Operation][]).flatMap(
  ([id, { method, idempotency }]) => (method === 'POST' && idempotency !== 'none' ? [id] : []),
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

const isReplay = ({ headers }: Reply<unknown>): boolean => headers['idempotent-replayed'] === 'true';

/** The answer once the first request is not in progress any more. */
async function getSettled(t: Test, by: Client, id: OperationId, asked: Asked): Promise<Reply<unknown>> {
  for (;;) {
    const reply: Reply<unknown> = await by.ask(id, asked);
    const { error, details } = (reply.body ?? {}) as Refusal;
    if (error !== conflict || details?.['reason'] !== 'in_progress') return reply;
    t.match(reply.headers, { 'retry-after': '1' });
  }
}

/** Returns another request: with another name, or else about another resource. */
async function createOther(fixture: ContractFixture, id: OperationId, asked: Asked): Promise<Asked> {
  const body = asked.body as { readonly name?: string } | undefined;
  if (body?.name !== undefined) return put(asked, { part: 'body', name: 'name' }, 'another');
  return (await good(id, scenarios[id], fixture.sandbox)).asked;
}

async function tryOperation(t: Test, id: OperationId, fixture: ContractFixture, proxy: Proxy): Promise<void> {
  const scenario = scenarios[id];
  const { success, auth } = operations[id];
  const status: number = success.status;
  const countMade = async (): Promise<unknown> => (await fixture.database.query(selectMade))[0];
  const { asked, by } = await good(id, scenario, fixture.sandbox);
  const request = { ...asked, key: `lost-${id}` };

  const lost = proxy.loseAnswer(carriesKey, 'COMMIT\0');
  const first = await by.ask(id, request);
  await withTimeLimit(lost, 'loss of the answer');
  t.ok(first.status === status || first.status === errors['svc/runtime/unavailable'].http, first.text);
  const made = await countMade();
  const again = await getSettled(t, by, id, request);
  t.equal(again.status, status, again.text);
  t.ok(isReplay(again), 'it finds what the first has made');
  if (first.status === status) t.equal(again.text, first.text);
  t.same(await countMade(), made, 'and makes nothing more');

  const twin = await good(id, scenario, fixture.sandbox);
  const twins = { ...twin.asked, key: `twice-${id}` };
  const replies = await Promise.all([1, 2].map(() => getSettled(t, twin.by, id, twins)));
  for (const reply of replies) t.equal(reply.status, status, reply.text);
  t.equal(new Set(replies.map(({ text }) => text)).size, 1, 'both of two at once get one answer');
  t.equal(replies.filter(reply => !isReplay(reply)).length, 1, 'which belongs to one of them');

  // Without a credential a key belongs to the payload.
  if (auth === 'none') return;
  const other = await createOther(fixture, id, asked);
  if (JSON.stringify(other) === JSON.stringify(asked)) return;
  const later = await countMade();
  const refused = await by.ask(id, { ...other, key: request.key });
  t.match(refused, { status: 409, body: { error: conflict, details: { reason: 'other_payload' } } });
  t.same(await countMade(), later, 'another payload makes nothing');
}

export async function checkRepetition(t: Test, level: Level): Promise<void> {
  const proxy = new Proxy({ host: '127.0.0.1', port: 0 });
  t.teardown(() => proxy.close());
  const fixture = await startContractFixture(t, async address => {
    const url = new URL(address);
    proxy.redirect({ host: url.hostname, port: Number(url.port) });
    url.host = `127.0.0.1:${await proxy.listen()}`;
    return url.href;
  });
  for (const id of select(level, rows)) await t.test(id, t => tryOperation(t, id, fixture, proxy));
  await t.test('the node', t => fixture.assertHealthy(t));
}
