import t from 'tap';
import { getIdTime, isId, newId } from '../../../protocol/ids.ts';
import { startTestDatabase } from '../../support/database.ts';

t.test('skein_delivery_id', async t => {
  const { database } = await startTestDatabase(t);
  const events = Array.from({ length: 50 }, (_, i) => newId('event', 1_700_000_000_000 + i * 1_000));
  const stitches = [newId('stitch'), newId('stitch')];
  const rows = await database.query<{ event: string; id: string; again: string }>(
    `select e as event, skein_delivery_id(e, s) as id, skein_delivery_id(e, s) as again
     from unnest($1::text[]) e, unnest($2::text[]) s`,
    [events, stitches],
  );
  t.equal(new Set(rows.map(row => row.id)).size, 100, 'one for each pair');
  for (const { event, id, again } of rows) {
    if (!isId('delivery', id) || id !== again || getIdTime(id) !== getIdTime(event)) t.fail(`${event} ${id}`);
  }
  const sorted = [...rows].sort((a, b) => (a.id < b.id ? -1 : 1)).map(row => getIdTime(row.event));
  t.strictSame(
    sorted,
    [...sorted].sort((a, b) => a - b),
    'sorts by creation',
  );
});
