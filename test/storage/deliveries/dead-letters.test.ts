/** Pages of dead letters, put together, are what has failed and was not made good since: each event once, in order. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import { findFailingStitches, readDeadLetters } from '../../../storage/deliveries/dead-letters.ts';
import type { ReplaySource } from '../../../storage/deliveries/replays.ts';
import fc from '../../support/fuzz.ts';
import { startTestDatabase } from '../../support/database.ts';

const { database } = await startTestDatabase(t);
const start = Date.parse('2026-11-20T12:00:00.000Z');
const at = (n: number) => new Date(start + n * 1_000).toISOString();
const names = ['thread.status.changed', 'thread.tags.changed', 'agent.run.completed'] as const;

interface Row {
  readonly event: number;
  readonly stitch: number;
  readonly status: string;
  readonly trigger: string;
  readonly second: number;
}

const row: fc.Arbitrary<Row> = fc.record({
  event: fc.nat(3),
  stitch: fc.nat(1),
  status: fc.constantFrom(
    'failed',
    'failed',
    'failed',
    'delivered',
    'pending',
    'retrying',
    'cancelled',
    'cancelled',
  ),
  trigger: fc.constantFrom('scheduled', 'replay', 'manual', 'test'),
  second: fc.nat(9),
});

/** The first row of an event at a stitch is the scheduled one, or a test. */
function inOrder(rows: readonly Row[]): Row[] {
  const seen = new Set<string>();
  return [...rows]
    .sort((a, b) => a.second - b.second)
    .map(each => {
      const key = `${each.event} ${each.stitch}`;
      const isFirst = !seen.has(key);
      seen.add(key);
      if (isFirst) return each.trigger === 'test' ? each : { ...each, trigger: 'scheduled' };
      return each.trigger === 'scheduled' ? { ...each, trigger: 'replay' } : each;
    });
}

async function fill(rows: readonly Row[]) {
  const tenant = { projectId: newId('project'), environmentId: newId('environment') };
  const stitches = [newId('stitch'), newId('stitch')].sort();
  await database.query(
    `insert into stitches (stitch_id, project_id, environment_id, name, status, created_at, updated_at, state, version)
     select unnest($1::text[]), $2, $3, '', 'active', now(), now(), '{}', 1`,
    [stitches, tenant.projectId, tenant.environmentId],
  );
  const given = rows.map((each, n) => ({
    ...each,
    // Of one moment the later one has the larger id.
    id: `whd_${String(n).padStart(4, '0')}${tenant.projectId}`,
    stitch: stitches[each.stitch],
    name: names[each.event % 3],
    at: at(each.second),
  }));
  await database.query(
    `insert into webhook_deliveries (delivery_id, created_at, project_id, environment_id, stitch_id, event_id, event_seq, event_name,
       event_at, status, trigger, updated_at)
     select d.id, d.at, $2, $3, d.stitch, 'evt_' || d.event || $2, d.event, d.name, $4, d.status, d.trigger, d.at
     from json_to_recordset($1::json) as d(id text, at timestamptz, stitch text, event int, name text, status text, trigger text)`,
    [JSON.stringify(given), tenant.projectId, tenant.environmentId, new Date(start)],
  );
  return { tenant, stitches };
}

async function readAll(source: ReplaySource, limit: number): Promise<number[]> {
  const found: number[] = [];
  for (let after: ReplaySource['after'] = null, more = true; more;) {
    const { events, next } = await readDeadLetters(database, { ...source, after }, limit);
    found.push(...events.map(({ eventSeq }) => eventSeq));
    if (events.length > limit) throw new Error('a page that is too long');
    more = next !== null;
    after = next;
  }
  return found;
}

t.test('as a model has them', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { maxLength: 25, size: 'max' }),
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom<readonly string[]>([], ['thread.*'], ['agent.run.completed', 'thread.tags.changed']),
      fc.nat(9),
      fc.nat(10),
      async (drawn, limit, eventNames, from, to) => {
        // Two rows of one stitch and moment have different events: a stitch makes one delivery of an event at a time.
        const rows = [
          ...new Map(
            inOrder(drawn).map(each => [`${each.event} ${each.stitch} ${each.second}`, each]),
          ).values(),
        ];
        const { tenant, stitches } = await fill(rows);
        const span = { since: at(from), until: at(to), eventNames };
        const isMeant = ({ status, trigger, second, event }: Row): boolean => {
          const name = names[event % 3] ?? '';
          const isNamed =
            eventNames.length === 0 ||
            eventNames.includes(name) ||
            (eventNames.includes('thread.*') && name.startsWith('thread.'));
          return status === 'failed' && trigger !== 'test' && second >= from && second < to && isNamed;
        };
        const failing = await findFailingStitches(database, { ...tenant, ...span }, 10);
        const wanted = stitches.filter((_, stitch) =>
          rows.some(each => each.stitch === stitch && isMeant(each)),
        );
        if (failing.join() !== wanted.join())
          throw new Error(`failing: ${failing.join()} and not ${wanted.join()}`);
        for (const [stitch, sourceStitchId] of stitches.entries()) {
          const own = rows.filter(each => each.stitch === stitch);
          const dead = own.filter(
            each =>
              isMeant(each) &&
              !own.some(
                later =>
                  later.event === each.event &&
                  later.second > each.second &&
                  later.trigger !== 'scheduled' &&
                  later.status !== 'cancelled',
              ),
          );
          const sorted = dead
            .sort((a, b) => a.second - b.second || a.event - b.event)
            .map(({ event }) => event);
          const source = { ...span, sourceStitchId, statuses: [], after: null } as const;
          const found = await readAll(source, limit);
          if (found.join() !== sorted.join()) throw new Error(`${found.join()} and not ${sorted.join()}`);
        }
      },
    ),
    { numRuns: 150 },
  );
});

t.test('a stitch that is archived is not among those that fail', async t => {
  const one = { event: 1, stitch: 0, status: 'failed', trigger: 'scheduled', second: 1 };
  const { tenant, stitches } = await fill([one, { ...one, stitch: 1 }]);
  const filter = { ...tenant, since: at(0), until: at(9), eventNames: [] };
  t.strictSame(await findFailingStitches(database, filter, 10), stitches);
  t.strictSame(await findFailingStitches(database, filter, 1), stitches.slice(0, 1));
  t.strictSame(
    await findFailingStitches(database, { ...filter, environmentId: newId('environment') }, 10),
    [],
  );
  await database.query('update stitches set archived_at = now() where stitch_id = $1', [stitches[0]]);
  t.strictSame(await findFailingStitches(database, filter, 10), stitches.slice(1));
});
