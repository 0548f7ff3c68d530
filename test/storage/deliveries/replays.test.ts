/** A replay has each delivery of its span once and in order, whatever becomes of them while it goes on. */
import t from 'tap';
import { matchesEventNames } from '../../../protocol/events.ts';
import { newId } from '../../../protocol/ids.ts';
import { type ReplaySource, replayEvents } from '../../../storage/deliveries/replays.ts';
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

t.test('though deliveries get their rows, and the stitch is changed', async () => {
  const changes = (minLength: number) => fc.array(change, { minLength, maxLength: 12, size: 'max' });
  await fc.assert(
    fc.asyncProperty(
      changes(4),
      fc.array(changes(0), { minLength: 1, maxLength: 8, size: 'max' }),
      fc.integer({ min: 1, max: 7 }),
      async (before, between, limit) => {
        const stitch = new Followed();
        await stitch.create();
        const make = async (steps: typeof before): Promise<void> => {
          for (const step of steps) {
            if (step.does === 'append') await stitch.append(step.count, step.name);
            else if (step.does === 'record') await stitch.record(step.which, step.status);
            else if (step.does === 'settle') await stitch.settle();
            else await stitch.follow(step.wanted);
          }
        };
        await make(before);
        const wanted = stitch.events.flatMap(({ seq, status }) => (status === undefined ? [] : [seq]));
        const source = {
          sourceStitchId: stitch.stitchId,
          since: new Date(start).toISOString(),
          until: '9999-01-01T00:00:00.000Z',
          eventNames: [],
          statuses: [],
        };
        const found: number[] = [];
        let after: ReplaySource['after'] = null;
        let page = 0;
        do {
          const { events, next }: Awaited<ReturnType<typeof replayEvents>> = await replayEvents(
            database,
            // As it comes back from the row of the stitch.
            JSON.parse(JSON.stringify({ ...source, after })) as ReplaySource,
            limit,
          );
          found.push(...events.map(({ eventSeq }) => eventSeq));
          after = next;
          await make(between[page++ % between.length] ?? []);
          if (page > 500) throw new Error('it comes to no end');
        } while (after !== null);
        if (found.join() !== wanted.join()) throw new Error(`${found.join()} in place of ${wanted.join()}`);
      },
    ),
    { numRuns: 60 },
  );
});

t.test('of those that have failed, from the index of these', async t => {
  const stitch = new Followed();
  await stitch.create();
  await stitch.append(60, names[0]);
  for (let n = 0; n < 60; n++) await stitch.record(0, n % 3 === 0 ? 'failed' : 'delivered');
  await stitch.settle();
  const source = {
    sourceStitchId: stitch.stitchId,
    since: new Date(start).toISOString(),
    until: '9999-01-01T00:00:00.000Z',
    eventNames: ['thread.status.*'],
    statuses: ['failed'],
  };
  const found: number[] = [];
  let after: ReplaySource['after'] = null;
  do {
    const page: Awaited<ReturnType<typeof replayEvents>> = await replayEvents(
      database,
      { ...source, after },
      7,
    );
    found.push(...page.events.map(({ eventSeq }) => eventSeq));
    after = page.next;
  } while (after !== null);
  t.strictSame(
    found,
    stitch.events.filter(({ status }) => status === 'failed').map(({ seq }) => seq),
  );
  t.equal(found.length, 20);
});
