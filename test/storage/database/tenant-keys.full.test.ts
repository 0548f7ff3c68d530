/**
 * How far projects are apart in the database, as docs/operate/capacity.md ("Beyond one database") says: each table that messages and webhooks
 * write, with its key, as the schema has it, and none is left out; and no statement that they send, or that lists and logs are read by, joins
 * the rows of one project with those of another, but for those that it names.
 */
import pg from 'pg';
import t from 'tap';
import type { Message } from '../../../protocol/resources/message.ts';
import type { WebhookDelivery } from '../../../protocol/resources/delivery.ts';
import { Line, type ListOf } from '../../node/client.ts';
import { newStitch, signUp, type Tenant } from '../../node/tenant.ts';
import { Webhooks } from '../../node/webhooks.ts';
import { parseCodeSpans, readDocument, section, tableRows } from '../../docs/markdown.ts';
import { startTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { ParseTrees } from '../../support/parse-tree.ts';
import { groupByProject, readSchema } from '../../support/project-joins.ts';
import { onStatement } from '../../support/sent-statements.ts';
import { startSkeinOn } from '../../support/skein.ts';

/** What is written once a minute at most, however many messages come. */
const periodic = ['usage_days', 'usage_channel_days', 'usage_marks', 'search_marks', 'operators', 'mails'];

const chapter = section(readDocument('docs/operate/capacity.md'), 'Beyond one database');
const allRows = tableRows(chapter);
const rows = allRows
  .filter(cells => cells.length === 3)
  .map(([table = '', key = '', project = '']) => ({
    table: parseCodeSpans(table)[0] ?? '',
    key: parseCodeSpans(key),
    project,
  }));
/** Statements that read rows of several projects: their names, or words of those that have none. */
const crossing = allRows
  .filter(cells => cells.length === 2)
  .flatMap(([names = '', why = '']) =>
    parseCodeSpans(names).map(name => ({ name, isRecoveryScan: why.startsWith('recovery scan') })),
  );

const keys = `
  select c.relname as "table", array_agg(a.attname::text order by k.place) as columns,
    exists (select from pg_attribute p where p.attrelid = c.oid and p.attname = 'project_id' and not p.attisdropped) as "hasProject"
  from pg_index i
  join pg_class c on c.oid = i.indrelid and c.relnamespace = 'public'::regnamespace
  cross join unnest(i.indkey::int2[]) with ordinality as k(attribute, place)
  join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attribute
  where i.indisprimary
  group by c.oid, c.relname`;

const { url, database } = await startTestDatabase(t);

t.test('the table has the keys of the schema, and says of each where its project is', async t => {
  const found = await database.query<{ table: string; columns: string[]; hasProject: boolean }>(keys);
  t.ok(rows.length >= 10, `${rows.length} tables`);
  for (const { table, key, project } of rows) {
    const schema = found.find(each => each.table === table);
    t.same(key, schema?.columns, table);
    const [words = ''] = /^(first in the key|a column|no column)/.exec(project) ?? [];
    const is =
      schema?.columns[0] === 'project_id'
        ? 'first in the key'
        : schema?.hasProject === true
          ? 'a column'
          : 'no column';
    t.equal(words, is, `${table}: ${project}`);
  }
});

/** What integrators and operators read again and again, and what an operator writes. */
async function readAndAnswer(tenant: Tenant, { threadId, messageId }: Message): Promise<void> {
  const { key, person, projectId, environmentId, channelId } = tenant;
  const params = { threadId };
  const query = { projectId };
  const externalMessageId = 'of the customer';
  const { messageId: answerId } = await key.get<Message>('createMessage', {
    params,
    body: { projectId, body: 'Good morning' },
  });
  await key.get('recordReceipt', {
    params: { channelId },
    body: {
      projectId,
      messageId: answerId,
      externalMessageId,
      status: 'delivered',
      occurredAt: new Date().toISOString(),
    },
  });
  for (const more of [
    {},
    { status: 'open', sort: 'waitingSince', order: 'asc' },
    { participantRef: 'participant 1' },
    { q: 'hello' },
  ]) {
    await key.get('listThreads', { query: { projectId, ...more } });
  }
  await key.get('getThread', { params, query });
  await key.get('listMessages', { params, query });
  await key.get('getMessage', { params: { threadId, messageId }, query });
  await key.get('getMessageTimeline', { params: { threadId, messageId }, query });
  await key.get('findMessages', { query: { projectId, externalMessageId } });
  await person.get('getQueues', { params: { projectId }, query: { environmentId } });
  await key.get('listEvents', { query });
  await key.get('listThreadEvents', { params, query });
  let deliveryId = '';
  await eventually('a delivery', async () => {
    const { data } = await key.get<ListOf<WebhookDelivery>>('listDeliveries', { query });
    deliveryId = data.find(({ status }) => status === 'delivered')?.deliveryId ?? '';
    return deliveryId !== '';
  });
  await key.get('getDelivery', { params: { deliveryId }, query });
  await key.get('listDeliveryAttempts', { params: { deliveryId }, query });
  await key.get('replayDelivery', { params: { deliveryId }, body: query });
}

t.test('what messages and webhooks write, and what is sent to the database', async t => {
  const skein = await startSkeinOn(t, url, { ALLOW_PRIVATE_ADDRESSES: 'true' });
  const tenant = await signUp(new Line(skein.url, t));
  const webhooks = await Webhooks.listen(t);
  webhooks.secret = (await newStitch(tenant, webhooks.url)).secret;
  const { projectId, channelId, key } = tenant;
  const [{ since = '' } = {}] = await database.query<{ since: string }>(
    'select pg_current_xact_id()::text as since',
  );
  const sent = new Map<string, string>();
  const stopListening = onStatement(({ text, name }) => sent.set(text, name));
  // Its retry is looked for; other threads are not held by it.
  webhooks.failing = 1;
  const messages: Message[] = [];
  for (let i = 0; i < 5; i++) {
    messages.push(
      await key.get<Message>('createInboundMessage', {
        params: { channelId },
        body: { projectId, externalParticipantRef: `participant ${i}`, body: 'Hello' },
      }),
    );
  }
  const tables = await database.query<{ name: string }>(
    `select c.relname as name from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  const listWritten = async (): Promise<readonly string[]> => {
    const written: string[] = [];
    for (const { name } of tables) {
      // A row's xmin is the transaction that wrote it; a database of a test is far from the end of the numbers.
      const [{ isWritten = false } = {}] = await database.query<{ isWritten: boolean }>(
        `select exists (select from ${name} where xmin::text::bigint > $1::bigint) as "isWritten"`,
        [since],
      );
      if (isWritten) written.push(name);
    }
    return written;
  };
  // Attempts are recorded, and words found, after the messages were acknowledged.
  const late = ['webhook_attempts', 'message_words', 'stitch_hours'];
  await eventually('attempts, words and hours', async () => {
    const written = await listWritten();
    return late.every(name => written.includes(name));
  });
  const written = (await listWritten()).filter(name => !periodic.includes(name));
  await readAndAnswer(tenant, messages[1]!);
  stopListening();

  await t.test('the table leaves out none that messages and webhooks write', async t => {
    t.ok(
      written.includes('events') && written.includes('messages') && written.length >= 8,
      written.join(' '),
    );
    t.same(
      written.filter(name => !rows.some(({ table }) => table === name)),
      [],
    );
  });

  await t.test('no statement joins projects, but for those that are named', async t => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    t.teardown(() => client.end());
    const [trees, schema] = [await ParseTrees.open(client), await readSchema(client)];
    const divided = new Map<string, readonly string[][]>();
    let joins = 0;
    for (const [text, name] of sent) {
      if (!/^\s*(?:select|with|insert|update|delete)\b/i.test(text)) continue;
      const groups = await groupByProject(trees, schema, text);
      if (groups.length > 0) joins++;
      if (groups.length < 2) continue;
      const known = crossing.find(each => each.name === name || (name === '' && text.includes(each.name)));
      // The recovery scanner looks when it is time.
      if (known?.isRecoveryScan !== true) divided.set(known?.name ?? `${name}: ${text}`, groups);
    }
    t.ok(joins > 15, `${joins} of ${sent.size} statements read several tables of projects`);
    const expected = crossing.filter(({ isRecoveryScan }) => !isRecoveryScan).map(each => each.name);
    t.same([...divided.keys()].sort(), expected.sort(), JSON.stringify([...divided.values()]));
  });
});

t.test('a join that leaves the project is found, and one within it is not', async t => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.teardown(() => client.end());
  const [trees, schema] = [await ParseTrees.open(client), await readSchema(client)];
  const count = async (text: string): Promise<number> => (await groupByProject(trees, schema, text)).length;
  const on = 'm.thread_id = t.thread_id';
  for (const [statement, groups] of [
    [`select 1 from threads t where thread_id = $1`, 0],
    [`select 1 from threads t join messages m on ${on}`, 2],
    [`select 1 from threads t join messages m on ${on} and m.project_id = t.project_id`, 1],
    [`select 1 from threads t join messages m on ${on} and m.project_id <> t.project_id`, 2],
    [`select 1 from threads t join messages m on ${on} and m.project_id = t.environment_id`, 2],
    [`select 1 from threads t join messages m using (thread_id, project_id)`, 1],
    [`select 1 from threads t, messages m where ${on} and m.project_id = $1 and t.project_id = $1`, 1],
    [`select 1 from threads t, messages m where ${on} and m.project_id = $1 and t.project_id = $2`, 2],
    [
      `select 1 from threads t, messages m where ${on} and (m.project_id = t.project_id or m.sequence = 1)`,
      2,
    ],
    [`select exists (select from messages m where ${on} and m.project_id = t.project_id) from threads t`, 1],
    [`select exists (select from messages m where ${on}) from threads t`, 2],
    [
      `select 1 from threads t where not exists (select from messages m where ${on} and m.project_id = t.project_id)`,
      1,
    ],
    [`select 1 from threads t where t.project_id in (select m.project_id from messages m where ${on})`, 1],
    [`select 1 from threads t where t.thread_id in (select m.thread_id from messages m)`, 2],
    [
      `with x as (select thread_id, project_id as p from threads) select 1 from x join messages m on m.project_id = x.p`,
      1,
    ],
    [
      `with x as (select thread_id, project_id as p from threads) select 1 from x join messages m on m.project_id = x.thread_id`,
      2,
    ],
    [
      `select 1 from (select project_id from threads group by 1) x join messages m on m.project_id = x.project_id`,
      1,
    ],
    [
      `select 1 from (select project_id from threads union select project_id from stitches where project_id = $1) x
      join messages m on m.project_id = x.project_id`,
      1,
    ],
    [
      `select 1 from threads t cross join lateral (select from messages m where m.project_id = t.project_id limit 1) m`,
      1,
    ],
    [`update threads t set status = 'open' from threads o where o.thread_id = t.thread_id`, 1],
    [`update threads t set status = 'open' from threads o where o.channel_id = t.channel_id`, 2],
    [`delete from threads where ctid = any (array(select ctid from threads where updated_at < $1))`, 1],
    [`delete from threads where thread_id = any (array(select thread_id from messages))`, 2],
    [
      `select 1 from unnest($1::text[]) p join threads t on t.project_id = p join messages m on m.project_id = p`,
      1,
    ],
    [
      `select 1 from threads t join messages m on m.project_id = any ($1::text[]) and t.project_id = any ($1::text[])`,
      1,
    ],
  ] as const) {
    t.equal(await count(statement), groups, statement);
  }
});
