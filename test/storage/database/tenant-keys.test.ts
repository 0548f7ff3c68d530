/**
 * How far the tables that messages and webhooks write are apart by project: docs/operate/capacity.md ("Beyond one database") says it for each
 * of them, with its key, as the schema has it, and leaves none out.
 */
import t from 'tap';
import { Line } from '../../node/client.ts';
import { newStitch, signUp } from '../../node/tenant.ts';
import { Webhooks } from '../../node/webhooks.ts';
import { parseCodeSpans, readDocument, section, tableRows } from '../../docs/markdown.ts';
import { startTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { startSkeinOn } from '../../support/skein-in-process.ts';

/** What is written once a minute at most, however many messages come. */
const periodic = ['usage_days', 'usage_channel_days', 'usage_marks', 'search_marks', 'operators', 'mails'];

const rows = tableRows(section(readDocument('docs/operate/capacity.md'), 'Beyond one database')).map(
  ([table = '', key = '', project = '']) => ({
    table: parseCodeSpans(table)[0] ?? '',
    key: parseCodeSpans(key),
    project,
  }),
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

t.test('the table has the keys of the schema, and says of each where its project is', async t => {
  const { database } = await startTestDatabase(t);
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

t.test('it leaves out no table that a message or its webhook writes', async t => {
  const { url, database } = await startTestDatabase(t);
  const skein = await startSkeinOn(t, url, { ALLOW_PRIVATE_ADDRESSES: 'true' });
  const tenant = await signUp(new Line(skein.url, t));
  const webhooks = await Webhooks.listen(t);
  webhooks.secret = (await newStitch(tenant, webhooks.url)).secret;
  const { projectId, channelId, key } = tenant;
  const [{ since = '' } = {}] = await database.query<{ since: string }>(
    'select pg_current_xact_id()::text as since',
  );
  for (let i = 0; i < 5; i++) {
    await key.get('createInboundMessage', {
      params: { channelId },
      body: { projectId, externalParticipantRef: `participant ${i}`, body: 'Hello' },
    });
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
  t.ok(written.includes('events') && written.includes('messages') && written.length >= 8, written.join(' '));
  t.same(
    written.filter(name => !rows.some(({ table }) => table === name)),
    [],
  );
});
