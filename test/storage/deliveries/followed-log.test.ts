/** What stitches deliver of a log: by what they wanted when each event was committed, whatever they were told before and after. */
import t from 'tap';
import { formatEvent, matchesEventNames, type EventName } from '../../../protocol/events.ts';
import { newId } from '../../../protocol/ids.ts';
import type { Queries } from '../../../storage/database/index.ts';
import { deliveryPage, type DeliveryPosition } from '../../../storage/deliveries/delivery-log.ts';
import { StitchesBehind } from '../../../storage/deliveries/behind.ts';
import { FollowedLog } from '../../../storage/deliveries/followed-log.ts';
import { deriveDeliveryId, SubscriptionCache } from '../../../storage/deliveries/subscriptions.ts';
import { unrecordedPage } from '../../../storage/deliveries/unrecorded.ts';
import { toParameters } from '../../../storage/statements/parameters.ts';
import { endInFlight } from '../../../storage/writes/deliveries.ts';
import { append, appendEvent, appendParameters } from '../../../storage/writes/events-and-answers.ts';
import { eventually } from '../../support/eventually.ts';
import fc from '../../support/fuzz.ts';
import { startTestDatabase } from '../../support/database.ts';

const { database } = await startTestDatabase(t);

const filters = [[], ['thread.*'], ['thread.status.changed'], ['stitch.*', 'thread.tags.changed']] as const;
const names: readonly EventName[] = [
  'thread.status.changed',
  'thread.tags.changed',
  'stitch.status.changed',
  'stitch.test.ping',
];
const count = 3;
const dayMs = 86_400_000;

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('append' as const),
      isOwn: fc.boolean(),
      events: fc.array(
        fc.record({
          name: fc.constantFrom(...names),
          thread: fc.constantFrom(undefined, 'thread_1', 'thread_2'),
          environment: fc.constantFrom(0, 0, 0, 1),
          except: fc.constantFrom(undefined, undefined, 0),
        }),
        { minLength: 1, maxLength: 5, size: 'max' },
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('follow' as const),
      stitch: fc.nat(count - 1),
      wanted: fc.constantFrom(null, ...filters),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('record' as const),
      stitch: fc.nat(count - 1),
      which: fc.nat(100),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('settle' as const), stitch: fc.nat(count - 1) }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('look' as const) }) },
);

/** An event as the model keeps it, and what became of its delivery to each stitch that wanted it. */
interface Model {
  readonly eventId: string;
  readonly seq: number;
  readonly threadId: string | undefined;
  readonly states: Map<string, 'pending' | 'cancelled' | 'recorded'>;
}

async function setUp() {
  const projectId = newId('project');
  const environments = [newId('environment'), newId('environment')] as const;
  await database.query(`insert into project_streams (project_id, last_seq, epoch) values ($1, 0, 'e')`, [
    projectId,
  ]);
  const stitches = Array.from({ length: count }, () => newId('stitch'));
  for (const stitchId of stitches) {
    await database.query(
      `insert into stitches (stitch_id, project_id, environment_id, name, status, created_at, updated_at, state, version)
       values ($1, $2, $3, '', 'active', now(), now(), '{}', 1)`,
      [stitchId, projectId, environments[0]],
    );
  }
  return { projectId, environments, stitches };
}

t.test(
  'pages of the log, put together, are what each stitch has to deliver; lists show the same, and who has any is found',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 3, maxLength: 14, size: 'max' }),
        fc.integer({ min: 1, max: 7 }),
        async (steps, limit) => {
          const { projectId, environments, stitches } = await setUp();
          const log = new FollowedLog(database);
          const behind = new StitchesBehind(database, log);
          const wanted = new Map<string, readonly string[] | null>();
          const events: Model[] = [];
          for (const each of steps) {
            if (each.does === 'append') {
              const now = Date.now();
              const occurredAt = new Date(now).toISOString();
              const writes = each.events.map(({ name, thread, environment, except }) => {
                const eventId = newId('event', now);
                const body = formatEvent({ eventId, eventName: name, occurredAt, projectId, data: '{}' });
                const exceptStitchId = except === undefined ? undefined : stitches[except];
                const row = {
                  projectId,
                  environmentId: environments[environment] ?? '',
                  eventId,
                  eventName: name,
                  occurredAt,
                  body,
                };
                const states = new Map<string, 'pending'>();
                for (const [stitchId, filter] of wanted) {
                  const fits =
                    environment === 0 && name !== 'stitch.test.ping' && exceptStitchId !== stitchId;
                  if (filter !== null && fits && matchesEventNames(filter, name))
                    states.set(stitchId, 'pending');
                }
                events.push({ eventId, seq: events.length + 1, threadId: thread, states });
                return appendEvent({
                  ...row,
                  ...(thread === undefined ? {} : { threadId: thread }),
                  ...(exceptStitchId === undefined ? {} : { exceptStitchId }),
                });
              });
              const rows = await database.query<{
                readonly heads: Readonly<Record<string, number>>;
                readonly subscriptions: Readonly<Record<string, number>>;
              }>(append.text, appendParameters(writes));
              const [{ heads = {}, subscriptions = {} } = {}] = rows;
              // Of the others it is not told, as of those of another node.
              if (each.isOwn) {
                behind.add({
                  projectId,
                  first: (heads[projectId] ?? 0) + 1,
                  events: writes.flatMap(({ event }) => event ?? []),
                  subscriptions: subscriptions[projectId] ?? 0,
                });
              }
            } else if (each.does === 'follow') {
              const stitchId = stitches[each.stitch] ?? '';
              await database.query(`select skein_follow($1, $2, $3, '{}', now())`, [
                stitchId,
                each.wanted,
                getSettled(events, stitchId),
              ]);
              wanted.set(stitchId, each.wanted);
              if (each.wanted === null) {
                for (const { states } of events)
                  if (states.get(stitchId) === 'pending') states.set(stitchId, 'cancelled');
              }
            } else if (each.does === 'settle') {
              const stitchId = stitches[each.stitch] ?? '';
              const settled = getSettled(events, stitchId);
              await database.query(`update stitches set settled_seq = $2 where stitch_id = $1`, [
                stitchId,
                settled,
              ]);
            } else if (each.does === 'look') {
              const found = await findBehind(behind);
              const late = stitches.filter(stitchId => getSettled(events, stitchId) < events.length);
              const missing = late.filter(stitchId => !found.includes(stitchId));
              if (missing.length > 0) throw new Error(`not found: ${missing.join()}`);
            } else {
              const stitchId = stitches[each.stitch] ?? '';
              const open = events.filter(({ states }) => states.get(stitchId) === 'pending');
              const event = open[each.which % Math.max(1, open.length)];
              if (event === undefined) continue;
              await database.query(
                `insert into webhook_deliveries (delivery_id, created_at, project_id, environment_id, stitch_id, event_id, event_seq,
                 event_name, event_at, thread_id, status, attempt_count, trigger, updated_at)
               select $1, occurred_at, project_id, environment_id, $2, event_id, seq, event_name, occurred_at, thread_id, 'delivered', 1,
                 'scheduled', now() from events where event_id = $3`,
                [deriveDeliveryId(event.eventId, stitchId), stitchId, event.eventId],
              );
              event.states.set(stitchId, 'recorded');
            }
          }
          for (const stitchId of stitches) {
            const listIds = (state: string): string[] =>
              events
                .filter(({ states }) => states.get(stitchId) === state)
                .map(({ eventId }) => deriveDeliveryId(eventId, stitchId));
            await checkEqual(listIds('pending'), readAll(log, projectId, stitchId, limit));
            const tenant = { projectId, environmentId: environments[0], stitchId };
            const pending = await unrecordedPage(
              database,
              { ...tenant, status: 'pending' },
              'asc',
              undefined,
              1_000,
            );
            await checkEqual(
              listIds('pending'),
              pending.rows.map(({ delivery }) => delivery.deliveryId),
            );
            const listed = await listAll(tenant, limit);
            await checkEqual(
              [...listIds('pending'), ...listIds('cancelled'), ...listIds('recorded')].sort(),
              listed.map(({ deliveryId }) => deliveryId).sort(),
            );
            await checkEqual(
              listIds('cancelled').sort(),
              listed
                .filter(({ status }) => status === 'cancelled')
                .map(({ deliveryId }) => deliveryId)
                .sort(),
            );
            for (const threadId of ['thread_1', 'thread_2']) {
              const own = events.filter(
                event => event.threadId === threadId && event.states.get(stitchId) === 'pending',
              );
              const found: string[] = [];
              for (let from: number | null = 1; from !== null;) {
                const [page] = await log.readThreads({ ...tenant }, [{ threadId, from }], events.length + 1);
                found.push(...(page?.deliveries ?? []).map(({ deliveryId }) => deliveryId));
                from = page?.next ?? null;
              }
              await checkEqual(
                own.map(({ eventId }) => deriveDeliveryId(eventId, stitchId)),
                found,
              );
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  },
);

async function findBehind(behind: StitchesBehind): Promise<string[]> {
  const found: string[] = [];
  for await (const page of behind.find()) found.push(...page);
  return found;
}

t.test('a stitch that wants nothing of what came is left alone until it is far behind', async t => {
  const { projectId, environments, stitches } = await setUp();
  const [every = '', rare = '', off = ''] = stitches;
  for (const [stitchId, filter] of [
    [every, []],
    [rare, ['thread.tags.changed']],
    [off, []],
  ] as const) {
    await database.query(`select skein_follow($1, $2, 0, '{}', now())`, [stitchId, filter]);
  }
  const statements: string[] = [];
  const watched: Queries = {
    query(text, values, name = '') {
      statements.push(name);
      return database.query(text, values, name);
    },
  };
  const behind = new StitchesBehind(watched, new FollowedLog(database));
  const find = async (): Promise<string[]> => {
    const found = await findBehind(behind);
    return ['every', 'rare', 'off'].filter((_, index) => found.includes(stitches[index] ?? ''));
  };
  const commit = (name: EventName, msAhead = 0): Promise<unknown> => {
    const occurredAt = new Date(Date.now() + msAhead).toISOString();
    const row = { projectId, environmentId: environments[0], occurredAt, body: '{}' };
    const write = appendEvent({ ...row, eventId: newId('event'), eventName: name });
    return database.query(append.text, appendParameters([write]));
  };
  const settle = (stitchIds: readonly string[]): Promise<unknown> =>
    database.query(
      `update stitches s set settled_seq = p.last_seq from project_streams p
       where p.project_id = s.project_id and s.stitch_id = any ($1::text[])`,
      [stitchIds],
    );

  await commit('thread.status.changed');
  t.same(
    await find(),
    ['every', 'rare', 'off'],
    'of a project that was not known: whose row is not at the head',
  );
  await settle([every, off]);
  t.same(await find(), ['rare'], 'until the row says that it is');
  await settle(stitches);
  t.same(await find(), []);
  await database.query(`update stitches set status = 'disabled' where stitch_id = $1`, [off]);
  await commit('thread.status.changed');
  t.same(await find(), ['every'], 'who may want what came');
  t.same(await find(), ['every'], 'though it was found before');
  await commit('thread.tags.changed');
  t.same(await find(), ['every', 'rare']);
  await settle([every, rare]);
  t.same(await find(), []);
  const rows = await commit('thread.tags.changed');
  const [{ heads = {} } = {}] = rows as { readonly heads: Readonly<Record<string, number>> }[];
  const own = { environmentId: environments[0], eventName: 'thread.tags.changed' };
  behind.add({
    projectId,
    first: (heads[projectId] ?? 0) + 1,
    events: [{ projectId, eventId: '', occurredAt: '', body: '', ...own }],
    subscriptions: 0,
  });
  statements.length = 0;
  t.same(await find(), ['every', 'rare'], 'who may want what this node has committed');
  t.notOk(
    statements.some(name => name.startsWith('events.newest')),
    'which it does not read',
  );
  await settle([every, rare]);
  t.same(await find(), []);
  await commit('thread.status.changed');
  await commit('thread.tags.changed', -40 * dayMs);
  t.same(await find(), ['every', 'rare'], 'though the clock of the node that committed it was wrong');
  await settle([every, rare]);
  t.same(await find(), []);
  await database.query(
    `with fewer as (update project_streams set last_seq = last_seq - 2 where project_id = $1 returning last_seq)
     delete from events using fewer where project_id = $1 and seq > last_seq`,
    [projectId],
  );
  await commit('thread.tags.changed');
  await database.query(
    `update stitches s set settled_seq = last_seq - 1 from project_streams p
     where s.project_id = $1 and p.project_id = s.project_id`,
    [projectId],
  );
  t.same(await find(), ['every', 'rare'], 'though the log has lost events that were looked at');
  await settle([every, rare]);
  t.same(await find(), []);
  const come = (events: number): Promise<unknown> =>
    database.query(
      `with moved as (update project_streams set last_seq = last_seq + $3 where project_id = $1 returning last_seq)
       insert into events (project_id, seq, occurred_at, event_id, event_name, environment_id, body)
       select $1, last_seq - n, now(), 'evt_' || last_seq - n, 'stitch.test.ping', $2, '{}' from moved, generate_series(0, $3 - 1) n`,
      [projectId, environments[0], events],
    );
  await come(5_000);
  t.same(await find(), []);
  const pending = { projectId, environmentId: environments[0], stitchId: rare, status: 'pending' };
  for (const order of ['asc', 'desc'] as const) {
    const page = await unrecordedPage(database, pending, order, undefined, 10);
    t.same(page, { rows: [], end: undefined }, 'a list of what waits needs one page for that');
  }
  await come(1_000);
  t.same(await find(), ['every', 'rare'], 'their rows are to move on');
});

/** The number up to which the stitch has nothing pending. */
function getSettled(events: readonly Model[], stitchId: string): number {
  const first = events.find(({ states }) => states.get(stitchId) === 'pending');
  return (first?.seq ?? events.length + 1) - 1;
}

async function readAll(
  log: FollowedLog,
  projectId: string,
  stitchId: string,
  limit: number,
): Promise<string[]> {
  const found: string[] = [];
  let isFirst = true;
  for (let from = 1, more = true; more; isFirst = false) {
    const page = await log.readWanted({ projectId, stitchId, from, limit, check: true, isFirst });
    if (page.deliveries.length > limit) throw new Error('more than were asked for');
    found.push(...page.deliveries.map(({ deliveryId }) => deliveryId));
    ({ end: from, more } = page);
  }
  return found;
}

async function listAll(
  tenant: { projectId: string; environmentId: string; stitchId: string },
  limit: number,
) {
  const rows: { deliveryId: string; status: string; createdAt: string }[] = [];
  let before: DeliveryPosition | undefined;
  do {
    const page = await deliveryPage(database, { ...tenant, before, limit });
    if (page.rows.length > limit) throw new Error('more than a page');
    rows.push(...page.rows.map(({ deliveryId, status, createdAt }) => ({ deliveryId, status, createdAt })));
    before = page.end;
  } while (before !== undefined);
  if (rows.some(({ createdAt }, index) => createdAt < (rows[index + 1]?.createdAt ?? '')))
    throw new Error('a page, or the next one, has what is newer behind what is older');
  return rows;
}

async function checkEqual(
  wanted: readonly string[],
  found: readonly string[] | Promise<readonly string[]>,
): Promise<void> {
  const got = await found;
  if (wanted.join() !== got.join())
    throw new Error(`wanted ${wanted.join() || 'none'}, found ${got.join() || 'none'}`);
}

t.test(
  'what was out when a stitch was disabled, and is not any more now that it is enabled, is cancelled',
  async t => {
    const stitchId = newId('stitch');
    const projectId = newId('project');
    const spans = (inFlight: string[], cancelledAt: string | null, upto: number | null): Promise<unknown> =>
      database.query(
        `insert into stitch_spans (stitch_id, after_seq, project_id, environment_id, event_names, upto_seq, cancelled_at, in_flight)
       values ($1, $2, $3, 'env_1', '{}', $4, $5, $6)`,
        [stitchId, upto === null ? 9 : upto - 2, projectId, upto, cancelledAt, inFlight],
      );
    await spans(['whd_1', 'whd_2'], '2026-11-20T12:00:00.000Z', 5);
    await spans(['whd_3'], '2026-11-20T12:00:00.000Z', 9);
    await spans([], null, null);
    const end = async (inFlight: readonly string[]): Promise<unknown> => {
      const { statement, values } = endInFlight({ stitchId, inFlight });
      await database.query(statement.text, toParameters(statement, [values]));
      const rows = await database.query<{ in_flight: string[] }>(
        'select in_flight from stitch_spans where stitch_id = $1 order by after_seq',
        [stitchId],
      );
      return rows.map(row => row.in_flight);
    };
    t.same(await end(['whd_2', 'whd_4']), [['whd_2'], [], []]);
    t.same(await end([]), [[], [], []]);
  },
);

t.test('what is known of a project never goes back, whichever read lands last', async t => {
  const projectId = newId('project');
  await database.query(
    `insert into project_streams (project_id, last_seq, epoch, subscriptions) values ($1, 0, 'e', 1)`,
    [projectId],
  );
  let release = (): void => undefined;
  const held = new Promise<void>(resolve => (release = resolve));
  let reads = 0;
  const cache = new SubscriptionCache({
    async query(...args) {
      const isFirst = reads++ === 0;
      const rows = await database.query(...args);
      if (isFirst) await held;
      return rows as never;
    },
  });
  const slow = cache.get(projectId, 0);
  await eventually('the first read', () => Promise.resolve(reads === 1));
  await database.query(`update project_streams set subscriptions = 2 where project_id = $1`, [projectId]);
  await cache.prepare([{ projectId, version: 2 }]);
  t.equal(cache.peek(projectId, 0)?.version, 2);
  release();
  t.equal((await slow).version, 2);
  t.equal(cache.peek(projectId, 0)?.version, 2);
  await database.query(`update project_streams set last_seq = 7 where project_id = $1`, [projectId]);
  t.equal((await cache.getLatest(projectId)).head, 7, 'and how far the log goes is what was read');
});
