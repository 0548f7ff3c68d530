/** Queues beside the lists of their threads. */
import t from 'tap';
import { maxQueueCount } from '../../../protocol/resources/queue.ts';
import { readQueues } from '../../../storage/reads/queues.ts';
import { threadPage, type ThreadListing } from '../../../storage/reads/thread-lists.ts';
import { startTestDatabase } from '../../support/database.ts';

const { database: db } = await startTestDatabase(t);
const now = Date.parse('2026-11-23T12:00:00Z');
const tenant = { projectId: 'prj_1', environmentId: 'env_1' };

/** Threads of three environments in turn, of every sort that a queue tells apart; the first number is `from`. */
function addThreads(from: number, count: number): Promise<unknown> {
  return db.query(
    `insert into threads (thread_id, project_id, environment_id, status, agent_mode, assignee_user_id, last_message_at, active_second,
       created_at, updated_at, waiting_since, window_minute, pending_suggestion, failed_sends, snoozed_until, state, version)
     select 'thread_' || n, case when n % 3 = 2 then 'prj_2' else 'prj_1' end, case when n % 3 = 1 then 'env_2' else 'env_1' end,
       (array['open', 'open', 'closed', 'archived', 'open'])[1 + n % 5], (array['paused', 'auto', null])[1 + n / 2 % 3],
       (array['usr_1', 'usr_2', null])[1 + n / 7 % 3], at, floor(extract(epoch from at)), at, at, case when n % 4 = 0 then at end,
       floor(extract(epoch from ends) / 60), case when n % 9 = 0 then 'run_1' end, case when n % 11 = 0 then 2 end, case when n % 13 = 0 then at end,
       jsonb_build_object('window', jsonb_build_object('expiresAt', floor(extract(epoch from ends) * 1000)::bigint)), 1
     from (select n, $1::timestamptz - n * interval '37 s' as at,
       case when n % 7 > 0 then $1::timestamptz + (n % 200 - 20) * interval '47 s' end as ends
       from generate_series($2::int, $2::int + $3::int - 1) n) threads`,
    [new Date(now), from, count],
  );
}

type Asked = Partial<Omit<ThreadListing, 'projectId' | 'environmentId'>>;

/** The lists that the operation's description names. */
const lists: Readonly<Record<Exclude<keyof Awaited<ReturnType<typeof readQueues>>, 'mentions'>, Asked>> = {
  mine: { status: ['open'], snoozed: false, assigneeUserId: ['usr_1'] },
  unassigned: { status: ['open'], snoozed: false, assigneeUserId: [null] },
  allOpen: { status: ['open'], snoozed: false },
  needsApproval: { hasPendingSuggestion: true },
  waitingLongest: { snoozed: false, sort: 'waitingSince', order: 'asc' },
  windowClosing: { sort: 'windowClosesAt', windowClosesBefore: new Date(now + 7_200_000).toISOString() },
  failedSends: { failedSends: true },
  paused: { status: ['open'], agentMode: ['paused'] },
  closed: { status: ['closed'] },
  snoozed: { snoozed: true, sort: 'snoozedUntil', order: 'asc' },
};

async function listAll(asked: Asked): Promise<string[]> {
  const filter: ThreadListing = { ...tenant, sort: 'lastMessageAt', now, ...asked, limit: 10_000 };
  const { rows } = await threadPage(db, filter);
  return rows.map(({ threadId }) => threadId);
}

for (const [from, count] of [
  [1, 900],
  [901, 9_000],
] as const) {
  t.test(`each queue counts the threads of its list, of ${count} more threads`, async t => {
    await addThreads(from, count);
    if (count > 900) await db.query('analyze threads');
    const queues = await readQueues(db, tenant, 'usr_1', now);
    for (const [name, asked] of Object.entries(lists) as [keyof typeof lists, Asked][]) {
      const listed = await listAll(asked);
      const wanted = { count: Math.min(listed.length, maxQueueCount), more: listed.length > maxQueueCount };
      t.match(queues[name], wanted, name);
      t.not(listed.length, 0, `${name} has some`);
    }
    const [first] = await listAll({ ...lists.waitingLongest });
    const [oldest] = await db.query<{ at: Date }>(
      'select waiting_since as at from threads where thread_id = $1',
      [first],
    );
    t.equal(queues.waitingLongest.oldestWaitingSince, oldest?.at.toISOString());
  });
}

t.test('mentions count while they are unread and their note is there', async t => {
  await db.query(
    `insert into thread_notes (thread_note_id, project_id, environment_id, thread_id, author_user_id, body, created_at, updated_at, mentions)
     select 'note_' || n, 'prj_1', 'env_1', 'thread_3', 'usr_2', '', $1, $1, '{usr_1}' from generate_series(1, $2::int) n`,
    [new Date(now), maxQueueCount + 1],
  );
  await db.query(
    `insert into note_mentions (thread_note_id, user_id, project_id, environment_id, thread_id, mentioned_at)
     select 'note_' || n, case n % 2 when 0 then 'usr_2' else 'usr_1' end, 'prj_1', 'env_1', 'thread_3', $1::timestamptz
     from generate_series(1, 20) n union all select 'note_gone', 'usr_1', 'prj_1', 'env_1', 'thread_3', $1::timestamptz`,
    [new Date(now)],
  );
  const count = async () => (await readQueues(db, tenant, 'usr_1', now)).mentions;
  t.same(await count(), { count: 10, more: false });
  await db.query(
    `insert into note_mentions (thread_note_id, user_id, project_id, environment_id, thread_id, mentioned_at)
     select 'note_' || n, 'usr_1', 'prj_1', 'env_1', 'thread_3', $1::timestamptz from generate_series(1, $2::int) n on conflict do nothing`,
    [new Date(now), maxQueueCount + 1],
  );
  t.same(await count(), { count: maxQueueCount, more: true });
});

t.test('a caller who is no user has no threads of their own', async t => {
  t.same((await readQueues(db, tenant, null, now)).mine, { count: 0, more: false });
});

t.test('an environment without threads', async t => {
  const queues = await readQueues(db, { projectId: 'prj_1', environmentId: 'env_9' }, 'usr_1', now);
  t.ok(Object.values(queues).every(({ count, more }) => count === 0 && !more));
  t.equal(queues.waitingLongest.oldestWaitingSince, null);
});
