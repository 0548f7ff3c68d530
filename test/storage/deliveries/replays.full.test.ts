/** A replay has each delivery of its span once and in order, whatever becomes of them while it goes on. */
import t from 'tap';
import { matchesEventNames } from '../../../protocol/events.ts';
import { newId } from '../../../protocol/ids.ts';
import { type ReplayPlace, type ReplaySource, replayEvents } from '../../../storage/deliveries/replays.ts';
import { deriveDeliveryId } from '../../../storage/deliveries/subscriptions.ts';
import fc from '../../support/fuzz.ts';
import { startTestDatabase } from '../../support/database.ts';

const { database } = await startTestDatabase(t);
const start = Date.parse('2026-11-20T10:00:00.000Z');
const names = ['thread.status.changed', 'thread.tags.changed', 'thread.message.received'] as const;
const filters = [[], ['thread.status.changed'], ['thread.tags.*', 'thread.message.received']] as const;
const statuses = ['delivered', 'retrying', 'failed'] as const;

type Status = 'pending' | 'cancelled' | (typeof statuses)[number];

/** An event, and what became of its delivery; undefined: the stitch does not want it. */
interface Model {
  readonly eventId: string;
  readonly seq: number;
  readonly at: Date;
  status: Status | undefined;
  hasRow: boolean;
}

/** A stitch and its project, and all that its deliveries go through. */
class Followed {
  readonly projectId = newId('project');
  readonly environmentId = newId('environment');
  readonly stitchId = newId('stitch');
  readonly events: Model[] = [];
  #wanted: readonly string[] | null = null;

  async create(): Promise<void> {
    await database.query(`insert into project_streams (project_id, last_seq, epoch) values ($1, 0, 'e')`, [
      this.projectId,
    ]);
    await database.query(
      `insert into stitches (stitch_id, project_id, environment_id, name, status, created_at, updated_at, state, version)
       values ($1, $2, $3, '', 'active', now(), now(), '{}', 1)`,
      [this.stitchId, this.projectId, this.environmentId],
    );
    await this.follow([]);
  }

  get #settled(): number {
    const first = this.events.find(({ status, hasRow }) => status === 'pending' && !hasRow);
    return (first?.seq ?? this.events.length + 1) - 1;
  }

  async append(count: number, name: string): Promise<void> {
    const from = this.events.length;
    for (let n = 1; n <= count; n++) {
      const seq = from + n;
      // A few have one instant.
      const at = new Date(start + Math.floor(seq / 3));
      const isWanted = this.#wanted !== null && matchesEventNames(this.#wanted, name);
      this.events.push({
        eventId: newId('event', at.getTime()),
        seq,
        at,
        status: isWanted ? 'pending' : undefined,
        hasRow: false,
      });
    }
    const added = this.events.slice(from);
    await database.query(
      `insert into events (project_id, seq, occurred_at, event_id, event_name, environment_id, body)
       select $1, seq, at, id, $2, $3, '{}' from unnest($4::bigint[], $5::timestamptz[], $6::text[]) as e(seq, at, id)`,
      [
        this.projectId,
        name,
        this.environmentId,
        added.map(({ seq }) => seq),
        added.map(({ at }) => at),
        added.map(({ eventId }) => eventId),
      ],
    );
    await database.query(`update project_streams set last_seq = $2 where project_id = $1`, [
      this.projectId,
      this.events.length,
    ]);
  }

  /** Makes the rows of some that are open: a retry ends, or the first attempt does. */
  async record(which: number, status: (typeof statuses)[number]): Promise<void> {
    const open = this.events.filter(each => each.status === 'pending' || each.status === 'retrying');
    const event = open[which % Math.max(1, open.length)];
    if (event === undefined) return;
    event.status = status;
    event.hasRow = true;
    await database.query(
      `insert into webhook_deliveries (delivery_id, created_at, project_id, environment_id, stitch_id, event_id, event_seq, event_name,
         event_at, status, attempt_count, trigger, updated_at)
       select $1, occurred_at, project_id, environment_id, $2, event_id, seq, event_name, occurred_at, $4, 1, 'scheduled', now()
       from events where event_id = $3
       on conflict (delivery_id, created_at) do update set status = excluded.status`,
      [deriveDeliveryId(event.eventId, this.stitchId), this.stitchId, event.eventId, status],
    );
  }

  /** What a replay of all statuses has to make. */
  listWanted({ since, until }: ReplaySource): readonly Model[] {
    return this.events.filter(
      ({ status, at }) =>
        status !== undefined && at.getTime() >= Date.parse(since) && at.getTime() < Date.parse(until),
    );
  }

  async settle(): Promise<void> {
    await database.query(`update stitches set settled_seq = $2 where stitch_id = $1`, [
      this.stitchId,
      this.#settled,
    ]);
  }

  /** As the commit that changes, disables or enables the stitch; null: it accepts nothing. */
  async follow(wanted: readonly string[] | null): Promise<void> {
    await database.query(`select skein_follow($1, $2, $3, '{}', now())`, [
      this.stitchId,
      wanted,
      this.#settled,
    ]);
    this.#wanted = wanted;
    if (wanted !== null) return;
    for (const event of this.events) {
      if (event.status !== 'pending') continue;
      event.status = 'cancelled';
    }
  }
}

const change = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('append' as const),
      count: fc.integer({ min: 1, max: 9 }),
      name: fc.constantFrom(...names),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('record' as const),
      which: fc.nat(100),
      status: fc.constantFrom(...statuses),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('settle' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('follow' as const), wanted: fc.constantFrom(null, ...filters) }),
  },
);

type Changes = readonly (typeof change extends fc.Arbitrary<infer Change> ? Change : never)[];
const changes = (minLength: number) => fc.array(change, { minLength, maxLength: 12, size: 'max' });
/** What happens after each page, from the first again when all of it has. */
const between = fc.array(changes(0), { minLength: 1, maxLength: 8, size: 'max' });
const limits = fc.integer({ min: 1, max: 7 });

async function make(stitch: Followed, steps: Changes): Promise<void> {
  for (const step of steps) {
    if (step.does === 'append') await stitch.append(step.count, step.name);
    else if (step.does === 'record') await stitch.record(step.which, step.status);
    else if (step.does === 'settle') await stitch.settle();
    else await stitch.follow(step.wanted);
  }
}

/** A replay of all statuses, of the instants from `from` to before `to`, in milliseconds from the start. */
function createSource({ stitchId }: Followed, from = 0, to = 1_000_000): ReplaySource {
  const [since, until] = [from, to].map(ms => new Date(start + ms).toISOString());
  return {
    sourceStitchId: stitchId,
    since: since ?? '',
    until: until ?? '',
    eventNames: [],
    statuses: [],
    after: null,
  };
}

/** The numbers that a replay makes, in their order, and its places. */
async function replayAll(
  source: ReplaySource,
  limit: number,
  afterPage: (page: number) => Promise<void> = () => Promise.resolve(),
): Promise<{ readonly found: readonly number[]; readonly places: readonly ReplayPlace[] }> {
  const found: number[] = [];
  const places: ReplayPlace[] = [];
  for (let { after } = source, page = 0; ; page++) {
    if (page > 500) throw new Error('it comes to no end');
    // As it comes back from the row of the stitch.
    const job = JSON.parse(JSON.stringify({ ...source, after })) as ReplaySource;
    const { events, next } = await replayEvents(database, job, limit);
    found.push(...events.map(({ eventSeq }) => eventSeq));
    await afterPage(page);
    if (next === null) return { found, places };
    places.push(next);
    after = next;
  }
}

t.test('though deliveries get their rows, and the stitch is changed', async () => {
  await fc.assert(
    fc.asyncProperty(
      changes(4),
      between,
      limits,
      fc.option(fc.record({ from: fc.nat(8), length: fc.integer({ min: 1, max: 9 }) })),
      async (before, later, limit, span) => {
        const stitch = new Followed();
        await stitch.create();
        await make(stitch, before);
        const source = createSource(stitch, span?.from, span === null ? undefined : span.from + span.length);
        const wanted = stitch.listWanted(source).map(({ seq }) => seq);
        const { found } = await replayAll(source, limit, page =>
          make(stitch, later[page % later.length] ?? []),
        );
        if (found.join() !== wanted.join()) throw new Error(`${found.join()} in place of ${wanted.join()}`);
      },
    ),
    { numRuns: 80 },
  );
});

/**
 * Where the version of commit d1151fea has written that it was after so many deliveries: all rows by their instants, and then of the log what
 * has no row.
 */
function replayEarlier(
  { since }: ReplaySource,
  wanted: readonly Model[],
  count: number,
): { readonly made: readonly Model[]; readonly after: ReplayPlace | null } {
  const rows = wanted.filter(({ hasRow }) => hasRow);
  const others = wanted.filter(({ hasRow }) => !hasRow);
  const made = [...rows, ...others].slice(0, count);
  const last = made.at(-1);
  if (count > rows.length) {
    return { made, after: { createdAt: since, eventSeq: last?.seq ?? 0, inLog: true } };
  }
  if (count === rows.length) return { made, after: { createdAt: since, eventSeq: 0, inLog: true } };
  if (last === undefined) return { made, after: null };
  // As where a stretch of a thousand rows has ended.
  const isWholeInstant = rows[count]?.at.getTime() !== last.at.getTime();
  const eventSeq = isWholeInstant && count % 2 === 0 ? Number.MAX_SAFE_INTEGER : last.seq;
  return { made, after: { createdAt: last.at.toISOString(), eventSeq } };
}

t.test('gone on from where a node of an earlier version was', async () => {
  await fc.assert(
    fc.asyncProperty(changes(8), between, limits, fc.nat(40), async (before, later, limit, count) => {
      const stitch = new Followed();
      await stitch.create();
      await make(stitch, before);
      const source = createSource(stitch);
      const wanted = stitch.listWanted(source);
      const { made, after } = replayEarlier(source, wanted, Math.min(count, wanted.length));
      const isMade = new Set(made);
      const left = wanted.filter(each => !isMade.has(each));
      const unrecorded = left.filter(({ hasRow }) => !hasRow);
      const { found } = await replayAll({ ...source, after }, limit, page =>
        make(stitch, later[page % later.length] ?? []),
      );
      // What that version passed over, and has got its row since, cannot be told from what it has made.
      const isLost = new Set(after === null ? [] : unrecorded.filter(({ hasRow }) => hasRow));
      const certain = left.filter(each => !isLost.has(each)).map(({ seq }) => seq);
      const late = new Set([...isLost].map(({ seq }) => seq));
      const rest = found.filter(seq => !late.has(seq));
      if (rest.join() !== certain.join()) throw new Error(`${found.join()} in place of ${certain.join()}`);
      if (new Set(found).size !== found.length) throw new Error(`some come twice: ${found.join()}`);
    }),
    { numRuns: 80 },
  );
});

/** A stitch with rows, then cancelled ones without a row, then rows again, after which it follows nothing. */
async function createStopped(): Promise<Followed> {
  const stitch = new Followed();
  await stitch.create();
  const recordAll = async (count: number): Promise<void> => {
    await stitch.append(count, names[0]);
    for (let n = 0; n < count; n++) await stitch.record(0, 'delivered');
    await stitch.settle();
  };
  await recordAll(10);
  await stitch.append(10, names[1]);
  await stitch.follow(null);
  await stitch.follow([]);
  await recordAll(10);
  await stitch.follow(null);
  return stitch;
}

t.test('what was cancelled without a row is replayed, wherever the earlier version was', async t => {
  const source = createSource(await createStopped());
  const from = (first: number) => Array.from({ length: 31 - first }, (_, n) => first + n);
  const at = (seq: number) => new Date(start + Math.floor(seq / 3)).toISOString();
  const cancelled = from(11).slice(0, 10);
  for (const [after, wanted] of [
    [null, from(1)],
    [{ createdAt: at(4), eventSeq: 4 }, from(5)],
    // Of the rows of that instant and before it all were made.
    [{ createdAt: at(23), eventSeq: Number.MAX_SAFE_INTEGER }, [...cancelled, ...from(24)]],
    [{ createdAt: source.since, eventSeq: 0, inLog: true }, cancelled],
    [{ createdAt: source.since, eventSeq: 15, inLog: true }, cancelled.slice(5)],
    [{ createdAt: source.since, eventSeq: 20, inLog: true }, []],
  ] as const) {
    const { found } = await replayAll({ ...source, after }, 4);
    t.strictSame(found, wanted, JSON.stringify(after));
  }
});

t.test(
  'a place beyond the rows below is one in the log to an earlier version, behind what was made',
  async t => {
    const { found, places } = await replayAll(createSource(await createStopped()), 4);
    t.equal(found.length, 30);
    for (const { inLog, isBeyond, eventSeq, open } of places) {
      if (isBeyond !== true) continue;
      t.equal(inLog, true);
      t.ok(open !== undefined && eventSeq >= open.upto, 'where all has a row');
    }
    t.ok(places.filter(({ isBeyond }) => isBeyond === true).length >= 3);
    t.ok(places.some(({ inLog, isBeyond }) => inLog === true && isBeyond === undefined));
  },
);

t.test('who wants what had its row reads no log', async t => {
  const stitch = await createStopped();
  const statements: string[] = [];
  const { events, next } = await replayEvents(
    {
      query: (text, values, name) => {
        statements.push(name ?? text);
        return database.query(text, values, name);
      },
    },
    { ...createSource(stitch), statuses: ['delivered'] },
    100,
  );
  t.strictSame(
    events.map(({ eventSeq }) => eventSeq),
    stitch.events.filter(({ status }) => status === 'delivered').map(({ seq }) => seq),
  );
  t.equal(next, null);
  t.notOk(statements.some(name => name.startsWith('deliveries.replay_log')));
});

t.test('of those that have failed, from the index of these', async t => {
  const stitch = new Followed();
  await stitch.create();
  await stitch.append(60, names[0]);
  for (let n = 0; n < 60; n++) await stitch.record(0, n % 3 === 0 ? 'failed' : 'delivered');
  await stitch.settle();
  const source = { ...createSource(stitch), eventNames: ['thread.status.*'], statuses: ['failed'] };
  const { found } = await replayAll(source, 7);
  t.strictSame(
    found,
    stitch.events.filter(({ status }) => status === 'failed').map(({ seq }) => seq),
  );
  t.equal(found.length, 20);
});
