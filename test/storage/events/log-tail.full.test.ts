/** The tail of a log gives every event once and in order, whoever commits, and wherever a reader begins. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import { executeBound } from '../../../storage/database/database.ts';
import { keptMs, LogTail } from '../../../storage/events/log-tail.ts';
import type { AppendedEvent } from '../../../storage/statements/statement.ts';
import { append, appendEvent, appendParameters } from '../../../storage/writes/events-and-answers.ts';
import fc from '../../support/fuzz.ts';
import { startTestDatabase } from '../../support/database.ts';

const { database } = await startTestDatabase(t);

async function createLog(): Promise<{
  readonly projectId: string;
  commit(
    count: number,
    body?: string,
  ): Promise<{ readonly first: number; readonly events: readonly AppendedEvent[] }>;
  /** Leaves the log with so many events. */
  goBack(count: number): Promise<void>;
  readonly ids: string[];
}> {
  const projectId = newId('project');
  const ids: string[] = [];
  await database.query(`insert into project_streams (project_id, last_seq, epoch) values ($1, 0, 'e')`, [
    projectId,
  ]);
  return {
    projectId,
    ids,
    async goBack(count) {
      ids.length = count;
      await database.query('delete from events where project_id = $1 and seq > $2', [projectId, count]);
      await database.query('update project_streams set last_seq = $2 where project_id = $1', [
        projectId,
        count,
      ]);
    },
    async commit(count, body = '{}') {
      const first = ids.length + 1;
      const writes = Array.from({ length: count }, () => {
        const eventId = newId('event');
        ids.push(eventId);
        const row = { projectId, environmentId: 'env_1', eventId, eventName: 'thread.status.changed' };
        return appendEvent({ ...row, occurredAt: new Date().toISOString(), body });
      });
      await database.query(append.text, appendParameters(writes));
      return { first, events: writes.flatMap(({ event }) => (event === undefined ? [] : [event])) };
    },
  };
}

const step = fc.oneof(
  fc.record({ does: fc.constant('commit here' as const), count: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ does: fc.constant('commit elsewhere' as const), count: fc.integer({ min: 1, max: 4 }) }),
  fc.record({
    does: fc.constant('commit elsewhere and tell' as const),
    count: fc.integer({ min: 1, max: 4 }),
  }),
  fc.record({
    does: fc.constant('commit here, readers ask' as const),
    count: fc.integer({ min: 1, max: 4 }),
  }),
  fc.record({ does: fc.constant('read' as const), reader: fc.nat(2), limit: fc.constantFrom(1, 3, 1_000) }),
  fc.record({
    does: fc.constant('restart' as const),
    reader: fc.nat(2),
    share: fc.constantFrom(0, 0.5, 0.9),
  }),
  fc.record({ does: fc.constant('read at once' as const), limit: fc.constantFrom(1, 3, 1_000) }),
  fc.record({ does: fc.constant('wait' as const), ms: fc.constantFrom(400, 5_000, 30_000) }),
  fc.record({ does: fc.constant('erase' as const), share: fc.constantFrom(0, 0.5, 0.9) }),
  fc.record({ does: fc.constant('go back' as const), share: fc.constantFrom(0, 0.5, 0.9) }),
);

t.test('whatever happens in between', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30, size: 'max' }), async steps => {
      const log = await createLog();
      let now = 0;
      const tail = new LogTail(database, { monotonic: () => now });
      /** By number: when its text was emptied. */
      const erased = new Map<number, number>();
      const readers = [1, 1, 1];
      /** The newest event of which this node knows: who stops before it would be told of nothing more. */
      let known = 0;
      const read = async (reader: number, limit = 1_000): Promise<void> => {
        const from = readers[reader] ?? 1;
        const knownBefore = known;
        const page = await tail.read(log.projectId, from, limit);
        if (page.end <= knownBefore && !page.more) throw new Error('what it was told of is left out');
        const expected = log.ids.slice(from - 1, page.end - 1);
        if (page.events.map(({ eventId }) => eventId).join() !== expected.join())
          throw new Error('not what is in the log');
        if (page.events.some(({ seq }, index) => seq !== from + index)) throw new Error('a gap');
        // A second counts as one reading.
        const isOld = ({ seq, body }: (typeof page.events)[number]): boolean =>
          body !== '' && now - (erased.get(seq) ?? Infinity) >= keptMs + 1_000;
        if (page.events.some(isOld)) throw new Error('the text of an event that was erased long ago');
        readers[reader] = page.end;
      };
      for (const each of steps) {
        if (each.does === 'commit here') {
          const { first, events } = await log.commit(each.count);
          tail.add(log.projectId, first, events, 0);
          known = log.ids.length;
        } else if (each.does === 'commit elsewhere and tell') {
          await log.commit(each.count);
          tail.noteHead(log.projectId, log.ids.length);
          known = log.ids.length;
        } else if (each.does === 'commit here, readers ask') {
          // The second asks when the first one's statement is out and the commit is known.
          const first = read(0);
          const committed = await log.commit(each.count);
          tail.add(log.projectId, committed.first, committed.events, 0);
          known = log.ids.length;
          await Promise.all([first, read(1)]);
        } else if (each.does === 'commit elsewhere') await log.commit(each.count);
        else if (each.does === 'restart') readers[each.reader] = 1 + Math.floor(log.ids.length * each.share);
        else if (each.does === 'wait') now += each.ms;
        else if (each.does === 'go back') {
          // A read that is under way answers afterwards.
          const late = tail.read(log.projectId, readers[0] ?? 1);
          await log.goBack(Math.floor(log.ids.length * each.share));
          tail.reset();
          await late;
          known = log.ids.length;
          for (const [reader, from] of readers.entries()) readers[reader] = Math.min(from, known + 1);
          for (const seq of erased.keys()) if (seq > known) erased.delete(seq);
        } else if (each.does === 'erase') {
          const seq = 1 + Math.floor((log.ids.length - 1) * each.share);
          await database.query(`update events set body = '' where project_id = $1 and seq = $2`, [
            log.projectId,
            seq,
          ]);
          if (!erased.has(seq)) erased.set(seq, now);
        } else if (each.does === 'read') await read(each.reader, each.limit);
        else await Promise.all([0, 1, 2].map(reader => read(reader, each.limit)));
      }
      // Who asks again and again reaches the end.
      for (const reader of [0, 1, 2]) {
        while ((readers[reader] ?? 0) <= log.ids.length) await read(reader);
      }
    }),
    { numRuns: 60 },
  );
});

t.test('who asks for the end, and then for what is before it, leaves one stretch for all others', async t => {
  const log = await createLog();
  await log.commit(20);
  let statements = 0;
  const tail = new LogTail({
    query: (...args) => {
      statements++;
      return database.query(...args);
    },
  });
  await Promise.all([17, 11, 5].map(from => tail.read(log.projectId, from, 6)));
  t.equal(statements, 3);
  const pages = await Promise.all([5, 6, 9, 12, 18].map(from => tail.read(log.projectId, from, 30)));
  t.same(
    pages.map(({ events }) => events.length),
    [16, 15, 12, 9, 3],
  );
  t.equal(statements, 3);
});

t.test('a page of a long log costs no more than its events', async t => {
  // As in a database with one project and some days: of many projects the planner expects few events each, and uses the index in any case.
  await database.query('truncate events');
  for (const day of [1, 2, 3, 4]) {
    await database.query(
      `create table events_2100010${day} partition of events for values from ('2100-01-0${day}') to ('2100-01-0${day + 1}')`,
    );
  }
  const log = await createLog();
  await log.commit(20_000, `{"text":"${'word '.repeat(200)}"}`);
  await database.query('vacuum analyze events');
  const rowsRead = `
    select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as n from pg_stat_xact_user_tables where relname like 'events%'`;
  await database.em().transactional(async em => {
    const statements: [text: string, values: readonly unknown[]][] = [];
    const asked = new LogTail({
      query: (text, values = []) => {
        statements.push([text, values]);
        return database.query(text, values);
      },
    });
    const { events } = await asked.read(log.projectId, 5_000, 1_000);
    for (const [text, values] of statements) await executeBound(em, text, values);
    const [read] = await executeBound<{ n: number }>(em, rowsRead, []);
    t.equal(events.length, 1_000);
    t.ok((read?.n ?? 0) >= 500, 'the rows were counted');
    t.ok((read?.n ?? 0) < 2_000, `${read?.n} rows were read`);
  });
});

t.test('what this node commits is read without a statement', async t => {
  const log = await createLog();
  await log.commit(3);
  let statements = 0;
  const tail = new LogTail({
    query: (...args) => {
      statements++;
      return database.query(...args);
    },
  });
  const { end } = await tail.read(log.projectId, 1);
  t.equal(statements, 1);
  const { first, events } = await log.commit(5);
  tail.add(log.projectId, first, events, 7);
  const page = await tail.read(log.projectId, end);
  t.same([statements, page.events.length, page.end, page.subscriptions], [1, 5, 9, 7]);
  await Promise.all([1, 2, 3].map(() => tail.read(log.projectId, 9)));
  t.equal(statements, 2, 'one statement for all who wait for more');
});
