/**
 * Reads: one thread by its id, beside the same read in Fastify and pg with a look-up of the key, on a copy of the same rows; and a
 * page of 50 threads with 1,000 and with 1,000,000 threads in the project, then each list and search of an inbox of as many.
 */
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { freePort } from './demo/server.ts';
import type { BenchDatabase } from './support/bench-database.ts';
import { fewChannel, inboxColumns, inboxCursors, inboxStatements } from './support/inbox-threads.ts';
import type { LoadResult } from './support/load.ts';
import { runLoad } from './support/run-load.ts';
import { startSkein, type Skein } from './support/skein.ts';
import { count, fixed, median, table, times } from './support/table.ts';

const rounds = 3;
const timing = { warmupMs: 1_000, measuredMs: 3_000 };
const few = 1_000;
const many = 1_000_000;

/** Copies of a thread that the API has made: nothing here knows the shape of a snapshot. */
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

interface Reader {
  readonly port: number;
  readonly paths: readonly string[];
}

/** @param actingUser for whom the key reads: a person's own token would not last for all that is measured */
async function measure(
  { port, paths }: Reader,
  apiKey: string,
  connections: number,
  actingUser?: string,
): Promise<LoadResult> {
  const result = await runLoad({
    ports: [port],
    path: '',
    reads: paths,
    connections,
    threads: 0,
    projectId: '',
    ...timing,
    headers: {
      Authorization: `Bearer ${apiKey}`,
      ...(actingUser === undefined ? {} : { 'Service-Acting-User': actingUser }),
    },
  });
  if (result.errors > 0) throw new Error(`${result.errors} errors, first: ${result.firstError ?? ''}`);
  return result;
}

function getMedian(results: readonly LoadResult[], field: 'perSecond' | 'p50Ms' | 'p99Ms'): number {
  return median(results.map(result => result[field]));
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
  const peer = fork(new URL('./peers/fastify-read.ts', import.meta.url), {
    env: { ...process.env, PORT: String(port), DATABASE_URL: url },
    execPath: process.execPath,
  });
  await once(peer, 'message');
  try {
    const systems = {
      skein: { port: skein.port, paths: threadIds.map(id => `/v1/threads/${id}`) },
      'fastify and pg': { port, paths: threadIds.map(id => `/threads/${id}`) },
    };
    for (const connections of [64, 256]) {
      const seen: Record<keyof typeof systems, LoadResult[]> = { skein: [], 'fastify and pg': [] };
      for (let round = 0; round < rounds; round++) {
        for (const name of ['skein', 'fastify and pg'] as const) {
          seen[name].push(await measure(systems[name], skein.apiKey, connections));
        }
      }
      const ours = getMedian(seen.skein, 'perSecond');
      const lines = Object.entries(seen).map(([name, results]) => {
        const perSecond = getMedian(results, 'perSecond');
        return [
          ...[name, count(perSecond), name === 'skein' ? '' : times(ours / perSecond)],
          ...[fixed(getMedian(results, 'p50Ms')), fixed(getMedian(results, 'p99Ms'))],
        ];
      });
      console.log(`\nOne thread by its id, ${connections} connections (medians of ${rounds} rounds)\n`);
      console.log(table(['', 'reads/s', 'skein against it (target: at least 2)', 'p50 ms', 'p99 ms'], lines));
    }
  } finally {
    peer.kill();
    await once(peer, 'exit');
  }
}

async function benchPage(skein: Skein): Promise<LoadResult> {
  const path = `/v1/threads?projectId=${skein.projectId}&limit=50`;
  const results: LoadResult[] = [];
  for (let round = 0; round < rounds; round++) {
    results.push(await measure({ port: skein.port, paths: [path] }, skein.apiKey, 1));
  }
  const middle = [...results].sort((a, b) => a.p50Ms - b.p50Ms)[rounds >> 1];
  if (middle === undefined) throw new Error('nothing was measured');
  return middle;
}

/** What an inbox asks: each list of it, and each way of finding a thread, with {@link many} threads. */
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
    const { p50Ms, p99Ms } = await measure({ port, paths: [path] }, apiKey, 1, userId);
    lines.push([name, fixed(p50Ms, 2), fixed(p99Ms, 2)]);
  }
  console.log(`\nAn inbox of ${count(many)} threads: a page of 50, one reader (target: 20 ms)\n`);
  console.log(table(['', 'p50 ms', 'p99 ms'], lines));
}

/** Measures both and prints a table for each. */
export async function benchReads(database: BenchDatabase): Promise<void> {
  const skein = await startSkein(database, 'skein_reads');
  try {
    const { projectId, channelId } = skein;
    const first = { projectId, externalParticipantRef: 'first', body: 'Hello' };
    await skein.api.post(`/channels/${channelId}/inbound-messages`, first, 'first');
    await database.query(skein.databaseUrl, copies, [1, few - 1]);
    await database.query(skein.databaseUrl, 'vacuum analyze threads');
    const found = await database.query<{ id: string }>(
      skein.databaseUrl,
      'select thread_id as id from threads',
    );
    await benchOne(
      database,
      skein,
      found.map(({ id }) => id),
    );
    const small = await benchPage(skein);
    await database.query(skein.databaseUrl, copies, [few, many - 1]);
    await database.query(skein.databaseUrl, 'vacuum analyze threads');
    const large = await benchPage(skein);
    console.log('\nA page of 50 threads, one reader\n');
    console.log(
      table(
        ['threads in the project', 'p50 ms', 'p99 ms', 'against 1,000 (target: at most 1.5)'],
        [
          [count(few), fixed(small.p50Ms, 2), fixed(small.p99Ms, 2), ''],
          [count(many), fixed(large.p50Ms, 2), fixed(large.p99Ms, 2), times(large.p50Ms / small.p50Ms)],
        ],
      ),
    );
    await benchInbox(database, skein);
  } finally {
    await skein.stop();
  }
}
