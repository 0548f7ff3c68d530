/**
 * Reads: one thread by its id, beside the same read in Fastify and pg with a look-up of the key, on a copy of the same rows; and a
 * page of 50 threads with 1,000 and with 1,000,000 threads in the project, then each list and search of an inbox of as many.
 */
import { createHash } from 'node:crypto';
import { freePort } from '../demo/server.ts';
import type { BenchDatabase } from '../support/bench-database.ts';
import { Child } from '../support/child.ts';
import { runLoad, type LoadResult } from '../support/load.ts';
import { startSkein, type Skein } from '../support/skein.ts';
import { count, fixed, table, times } from '../support/table.ts';
import { compare, firstAgainst, middle, quick, show, takeTurns } from '../support/turns.ts';
import { fewChannel, inboxColumns, inboxCursors, inboxStatements } from './inbox-threads.ts';

const rounds = quick(3, 1);
const timing = { warmupMs: quick(1_000, 100), measuredMs: quick(3_000, 200) };
const few = 1_000;
const many = quick(1_000_000, 20_000);

/** Copies of a thread that the API created, so that the benchmark does not depend on the format of a snapshot. */
const copies = `
  insert into threads
  select (jsonb_populate_record(t, jsonb_build_object(
    'thread_id', 'thread_' || lpad(n::text, 26, '0'), 'external_ref', 'copy ' || n,
    'last_message_at', t.last_message_at - n * interval '1 second', 'active_second', t.active_second - n,
    'created_at', t.created_at - n * interval '1 second'))).*
  from threads t, generate_series($1::int, $2::int) n where t.external_ref = 'first'`;

const peerSchema = `
  create table keys (key_hash bytea primary key, project_id text not null, revoked_at timestamptz);
  create table threads (thread_id text primary key, project_id text not null, environment_id text not null, channel_id text,
    status text not null, agent_mode text, tags text[] not null, custom_fields jsonb not null, metadata jsonb not null,
    last_message_at timestamptz not null, created_at timestamptz not null, updated_at timestamptz not null, archived_at timestamptz)`;

const columns = `thread_id, project_id, environment_id, channel_id, status, agent_mode, tags, custom_fields, metadata,
  last_message_at, created_at, updated_at, archived_at`;

/** @param actingUser the user on whose behalf the key reads: an access token would expire during the benchmark */
function measure(
  port: number,
  reads: readonly string[],
  apiKey: string,
  connections: number,
  actingUser?: string,
): Promise<LoadResult> {
  const acting: Record<string, string> =
    actingUser === undefined ? {} : { 'Service-Acting-User': actingUser };
  const headers = { Authorization: `Bearer ${apiKey}`, ...acting };
  return runLoad({
    ports: [port],
    path: '',
    reads,
    connections,
    threads: 0,
    projectId: '',
    ...timing,
    headers,
  });
}

async function benchOne(database: BenchDatabase, skein: Skein, threadIds: readonly string[]): Promise<void> {
  const url = await database.create('fastify_read', peerSchema);
  const rows = await database.query<{ rows: unknown }>(
    skein.databaseUrl,
    `select jsonb_agg(t) as rows from (select ${columns} from threads) t`,
  );
  await database.query(
    url,
    `insert into threads select ${columns} from jsonb_populate_recordset(null::threads, $1::jsonb)`,
    [JSON.stringify(rows[0]?.rows)],
  );
  const hash = createHash('sha256').update(skein.apiKey).digest();
  await database.query(url, 'insert into keys values ($1, $2, null)', [hash, skein.projectId]);
  await database.query(url, 'analyze');
  const port = await freePort();
  const environment = { PORT: String(port), DATABASE_URL: url };
  const peer = new Child(new URL('../peers/fastify.ts', import.meta.url), { environment });
  database.endings.teardown(() => peer.stop());
  await peer.hear();
  const systems = [
    { name: 'skein', port: skein.port, paths: threadIds.map(id => `/v1/threads/${id}`) },
    { name: 'fastify and pg', port, paths: threadIds.map(id => `/threads/${id}`) },
  ];
  for (const connections of [64, 256]) {
    const samples = await takeTurns(systems, rounds, ({ port, paths }) =>
      measure(port, paths, skein.apiKey, connections),
    );
    console.log(`\nOne thread by its id, ${connections} connections (medians of ${rounds} rounds)\n`);
    const columns = {
      'reads/s': show('perSecond', count),
      'skein against it (target: at least 2)': firstAgainst,
      'p50 ms': show('p50Ms', fixed),
      'p99 ms': show('p99Ms', fixed),
    };
    console.log(compare(samples, columns));
  }
}

async function benchPage({ projectId, port, apiKey }: Skein): Promise<readonly LoadResult[]> {
  const path = `/v1/threads?projectId=${projectId}&limit=50`;
  const results: LoadResult[] = [];
  for (let round = 0; round < rounds; round++) results.push(await measure(port, [path], apiKey, 1));
  return results;
}

/** Reads each list of an inbox of {@link many} threads, and finds threads in each way. */
async function benchInbox(database: BenchDatabase, skein: Skein): Promise<void> {
  const { databaseUrl, projectId, channelId, apiKey, port } = skein;
  const [reader] = await database.query<{ id: string }>(databaseUrl, 'select user_id as id from users');
  const userId = reader?.id ?? '';
  for (const statement of [inboxColumns, inboxCursors])
    await database.query(databaseUrl, statement, [userId]);
  for (const statement of inboxStatements) await database.query(databaseUrl, statement);
  await database.query(databaseUrl, 'vacuum analyze threads, read_cursors');
  const soon = new Date(Date.now() + 7_200_000).toISOString();
  const threads: Readonly<Record<string, string>> = {
    'mine (open, assigned to the reader)': `status=open&assigneeUserId=${userId}`,
    unassigned: 'status=open&assigneeUserId=unassigned',
    'all open': 'status=open',
    closed: 'status=closed',
    paused: 'status=open&agentMode=paused',
    hasPendingSuggestion: 'hasPendingSuggestion=true',
    'awaitingReply, by waitingSince': 'awaitingReply=true&sort=waitingSince&order=asc',
    'awaitingReply, by lastMessageAt': 'awaitingReply=true',
    failedSends: 'failedSends=true',
    'windowClosesBefore, by windowClosesAt': `windowClosesBefore=${soon}&sort=windowClosesAt&order=asc`,
    'windowClosesBefore, by lastMessageAt': `windowClosesBefore=${soon}`,
    'snoozed, by snoozedUntil': 'snoozed=true&sort=snoozedUntil&order=asc',
    'snoozed, by lastMessageAt': 'snoozed=true',
    'channelId, of nine tenths': `channelId=${channelId}`,
    'channelId, of a five-thousandth': `channelId=${fewChannel}`,
    'channelId: two, open': `status=open&channelId=${channelId}&channelId=${fewChannel}`,
    'tag, of a thousandth': 'tag=vip',
    participantRef: 'participantRef=copy%20123456',
    'status: two': 'status=closed&status=archived',
    'assigneeUserId: two, any status': `assigneeUserId=${userId}&assigneeUserId=usr_00000000000000000000000000`,
    'hasPendingSuggestion, by createdAt': 'hasPendingSuggestion=true&sort=createdAt',
    'unread, of which there are a thousandth': 'unread=true',
    createdAt: 'sort=createdAt',
    updatedAt: 'sort=updatedAt',
    'q: a word of all messages': 'q=hello',
    'q: of a fiftieth': 'q=m7',
    'q: of a thousandth': 'q=w17',
    'q: of one': 'q=number777777',
    'q: of none': 'q=nowhere',
    'q: one of all, one of a thousandth': 'q=hello+w17',
    'q: words in a row': 'q=%22order+it+is+w17%22',
    'q: the beginning of a million words': 'q=numb',
    'q: the beginning of eleven words': 'q=number77777',
    'q: a name': 'q=copy+123456',
    'q: of a thousandth, waiting': 'q=w17&awaitingReply=true',
  };
  const paths = Object.entries(threads).map(([name, query]) => [
    name,
    `/v1/threads?projectId=${projectId}&limit=50&${query}`,
  ]);
  paths.push(['all queues', `/v1/console/projects/${projectId}/queues`]);
  const lines: string[][] = [];
  for (const [name = '', path = ''] of paths) {
    const { p50Ms, p99Ms } = await measure(port, [path], apiKey, 1, userId);
    lines.push([name, fixed(p50Ms, 2), fixed(p99Ms, 2)]);
  }
  console.log(`\nAn inbox of ${count(many)} threads: a page of 50, one reader (target: 20 ms)\n`);
  console.log(table(['', 'p50 ms', 'p99 ms'], lines));
}

export async function run(database: BenchDatabase): Promise<void> {
  const skein = await startSkein(database, 'skein_reads');
  const { projectId, channelId } = skein;
  const first = { projectId, externalParticipantRef: 'first', body: 'Hello' };
  await skein.api.post(`/channels/${channelId}/inbound-messages`, first, 'first');
  await database.query(skein.databaseUrl, copies, [1, few - 1]);
  await database.query(skein.databaseUrl, 'vacuum analyze threads');
  const found = await database.query<{ id: string }>(
    skein.databaseUrl,
    'select thread_id as id from threads',
  );
  const threadIds = found.map(({ id }) => id);
  await benchOne(database, skein, threadIds);
  const small = await benchPage(skein);
  await database.query(skein.databaseUrl, copies, [few, many - 1]);
  await database.query(skein.databaseUrl, 'vacuum analyze threads');
  const large = await benchPage(skein);
  const [before, after] = [middle(small, 'p50Ms'), middle(large, 'p50Ms')];
  const rows = [
    [count(few), fixed(before, 2), fixed(middle(small, 'p99Ms'), 2), ''],
    [count(many), fixed(after, 2), fixed(middle(large, 'p99Ms'), 2), times(after / before)],
  ];
  const head = ['threads in the project', 'p50 ms', 'p99 ms', 'against 1,000 (target: at most 1.5)'];
  console.log(`\nA page of 50 threads, one reader\n\n${table(head, rows)}`);
  await benchInbox(database, skein);
}
