import t from 'tap';
import { silentLog } from '../../../runtime/observability/log.ts';
import { openDatabase } from '../../../storage/database/database.ts';
import { startTestDatabase } from '../../support/database.ts';

t.test('the schema', async t => {
  const { url, database, createDatabase } = await startTestDatabase(t);

  t.test('is what the entities say', async t => {
    t.equal(await database.orm.schema.getUpdateSchemaSQL({ wrap: false }), '');
    await database.query('alter table threads drop column tags');
    t.match(await database.orm.schema.getUpdateSchemaSQL({ wrap: false }), /add "tags" text\[\]/);
    await database.query(`alter table threads add tags text[] not null default '{}'`);
  });

  t.test('is migrated once, however many nodes start at once', async t => {
    const empty = await createDatabase('crowd');
    const nodes = await Promise.all(
      [1, 2, 3, 4].map(() => openDatabase({ url: empty, log: silentLog, poolSize: 2 })),
    );
    await Promise.all(nodes.map(node => node.migrate()));
    const [first] = nodes;
    const rows = await first?.query<{ name: string }>('select name from migrations order by id');
    t.equal(rows?.[0]?.name, '0001-first');
    t.equal(new Set(rows?.map(row => row.name)).size, rows?.length, 'each migration ran once');
    await first?.migrate();
    t.equal(
      (await first?.query('select 1 from migrations'))?.length,
      rows?.length,
      'a second run does nothing',
    );
    await Promise.all(nodes.map(node => node.close()));
  });

  t.test('gives query numbers, exact json and dates', async t => {
    const [row] = await database.query<Record<string, unknown>>(
      `select $1::bigint as big, $2::json as exact, $2::jsonb as parsed, $3::timestamptz as at, $4::text[] as words`,
      [2 ** 53 - 1, '{"a":  1}', new Date(1_700_000_000_123), ['a,b', '"']],
    );
    t.strictSame(row, {
      big: 2 ** 53 - 1,
      exact: '{"a":  1}',
      parsed: { a: 1 },
      at: new Date(1_700_000_000_123),
      words: ['a,b', '"'],
    });
  });

  t.test('gives up a statement that takes too long', async t => {
    const impatient = await openDatabase({ url, log: silentLog, statementTimeoutMs: 1_000 });
    await t.rejects(impatient.query('select pg_sleep(30)'), { code: '57014' });
    t.strictSame(await impatient.query('select 1 as one'), [{ one: 1 }]);
    await impatient.close();
    await impatient.close();
  });

  t.test('skein_fence names the rule and the keys that broke it', async t => {
    t.equal((await database.query(`select skein_fence('thread', array[]::text[])`)).length, 1);
    await t.rejects(database.query(`select skein_fence('thread', array['thread_1', 'a"b'])`), {
      code: 'SK001',
      detail: '{"scope" : "thread", "keys" : ["thread_1","a\\"b"]}',
    });
  });
});
