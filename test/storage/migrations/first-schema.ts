/** A database of the first schema that this repository has, full of messages, and writes to it that any schema since takes. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { silentLog } from '../../../runtime/observability/log.ts';
import { openDatabase } from '../../../storage/database/database.ts';
import { ensurePartitions } from '../../../storage/retention/partitions.ts';
import { listMigrations, runMigrations } from '../../../storage/migrations/run.ts';

/** Days of history: each is a partition of events, deliveries and attempts. */
const days = 10;
const dayMs = 86_400_000;
const projects = 1_000;
const messagesPerThread = 20;

const text = 'The quick brown fox jumps over the lazy dog, and says so at some length. '.repeat(2);

/** An id of the form that all have: its number `i` in its last characters. */
const toId = (prefix: string, i: string): string => `'${prefix}_' || lpad((${i})::text, 26, '0')`;
const tenant = (i: string): string =>
  `${toId('prj', `(${i}) % ${projects}`)}, ${toId('env', `(${i}) % ${projects}`)}`;
const instant = (i: string): string => `now() - ((${i}) % ${days * 86_400}) * interval '1 second'`;

/** There are no tools: a migration of before the first release takes that for granted. */
const listFillings = (messages: number): readonly string[] => [
  `insert into project_streams (project_id, last_seq, epoch)
   select ${toId('prj', 'i')}, ${messages}, 'e' from generate_series(0, ${projects - 1}) i`,
  `insert into environments (environment_id, project_id, kind, name, created_at, updated_at)
   select ${toId('env', 'i')}, ${toId('prj', 'i')}, 'production', 'Live', now(), now() from generate_series(0, ${projects - 1}) i`,
  `insert into stitches (stitch_id, project_id, environment_id, name, status, created_at, updated_at, state, version)
   select ${toId('stitch', 'i')}, ${tenant('i')}, 'stitch', 'active', now(), now(), '{"cancelUntil":null,"replays":[]}', 1
   from generate_series(0, ${projects - 1}) i`,
  `insert into threads (thread_id, project_id, environment_id, status, assignee_user_id, tags, last_message_at, active_second,
     created_at, updated_at, state, version)
   select ${toId('thread', 'i')}, ${tenant('i')}, case when i % 10 = 0 then 'closed' else 'open' end,
     case when i % 5 = 0 then ${toId('usr', 'i % 50')} end, case when i % 7 = 0 then array['tag'] else '{}' end, ${instant('i')},
     extract(epoch from ${instant('i')})::bigint, now(), now(), '{}', 1
   from generate_series(0, ${messages} / ${messagesPerThread}) i`,
  `insert into messages (message_id, project_id, environment_id, thread_id, sequence, direction, body, actor, created_at, updated_at)
   select ${toId('msg', 'i')}, ${tenant(`i / ${messagesPerThread}`)}, ${toId('thread', `i / ${messagesPerThread}`)},
     i % ${messagesPerThread} + 1, 'inbound', '${text}', '{"type":"contact","id":"p"}', ${instant('i')}, now()
   from generate_series(0, ${messages} - 1) i`,
  `insert into events (project_id, seq, occurred_at, event_id, event_name, environment_id, thread_id, sequence, body)
   select ${toId('prj', `(i / ${messagesPerThread}) % ${projects}`)}, i, ${instant('i')}, ${toId('evt', 'i')},
     'thread.message.received', ${toId('env', `(i / ${messagesPerThread}) % ${projects}`)},
     ${toId('thread', `i / ${messagesPerThread}`)}, i % ${messagesPerThread} + 1, '{"body":"${text}"}'
   from generate_series(0, ${messages} - 1) i`,
  `insert into webhook_deliveries (delivery_id, created_at, project_id, environment_id, stitch_id, event_id, event_seq, event_name,
     event_at, status, trigger, updated_at)
   select ${toId('whd', 'i')}, ${instant('i')}, ${tenant('i')}, ${toId('stitch', `i % ${projects}`)}, ${toId('evt', 'i')}, i,
     'thread.message.received', ${instant('i')}, case when i % 50 = 0 then 'failed' else 'delivered' end,
     case when i % 100 = 0 then 'replay' else 'scheduled' end, now()
   from generate_series(0, ${messages} / 5) i`,
  `insert into idempotency_keys (key_hash, fingerprint, status, body, created_at, expires_at)
   select decode(md5(i::text), 'hex'), '\\x01', 201, '{"threadId":"' || ${toId('thread', 'i')} || '"}', now(), now() + interval '1 day'
   from generate_series(0, ${messages} / 10) i`,
  `insert into attachments (attachment_id, project_id, environment_id, status, filename, mime_type, size_bytes, storage_key, created_at)
   select ${toId('att', 'i')}, ${tenant('i')}, 'stored', 'f', 'text/plain', 1000, 'k' || i, now()
   from generate_series(0, ${messages} / 50) i`,
  `insert into agent_runs (agent_run_id, project_id, environment_id, agent_id, thread_id, status, provider, model, mode, completed_at,
     created_at, updated_at, state, version)
   select ${toId('run', 'i')}, ${tenant('i')}, ${toId('agt', `i % ${projects}`)}, ${toId('thread', `i / 5`)}, 'succeeded',
     'llm_provider_1', 'm', 'auto', now(), now(), now(), '{"turns":[]}', 1
   from generate_series(0, ${messages} / 100) i`,
];

/** Makes the schema in the empty database at that address, and fills it. */
export async function createFirstSchema(url: string, messages: number): Promise<void> {
  const database = await openDatabase({ url, log: silentLog });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const [first] = listMigrations(database.orm.em.getDriver(), database.orm.config);
    if (first === undefined) throw new Error('there are no migrations');
    await runMigrations(client, [first], silentLog);
    const now = Date.now();
    for (let day = 0; day <= days; day += 8) await ensurePartitions(database, now - day * dayMs, silentLog);
    for (const filling of listFillings(messages)) await client.query(filling);
    await client.query('analyze');
  } finally {
    await client.end();
    await database.close();
  }
}

/** What a message writes, in each table that migrations change. `$1`: what makes its ids unique. */
const writes: readonly string[] = [
  `insert into messages (message_id, project_id, environment_id, thread_id, sequence, direction, body, actor, created_at, updated_at)
   values ('msg_' || $1, ${tenant('0')}, 'thread_' || $1, 1, 'inbound', 'hello', '{}', now(), now())`,
  `update threads set updated_at = now() where thread_id = ${toId('thread', '0')} and $1 <> ''`,
  `update stitches set updated_at = now() where stitch_id = ${toId('stitch', '0')} and $1 <> ''`,
  `update project_streams set last_seq = last_seq + 1 where project_id = ${toId('prj', '0')} and $1 <> ''`,
  `insert into events (project_id, seq, occurred_at, event_id, event_name, environment_id, body)
   values (${toId('prj', '0')}, (select last_seq from project_streams where project_id = ${toId('prj', '0')}), now(), 'evt_' || $1,
     'thread.message.received', ${toId('env', '0')}, '{}')`,
  `insert into webhook_deliveries (delivery_id, created_at, project_id, environment_id, stitch_id, event_id, event_seq, event_name,
     event_at, status, trigger, updated_at)
   values ('whd_' || $1, now(), ${tenant('0')}, ${toId('stitch', '0')}, 'evt_' || $1, 1, 'thread.message.received', now(), 'pending',
     'scheduled', now())`,
  `insert into idempotency_keys (key_hash, fingerprint, created_at, expires_at)
   values (convert_to($1, 'UTF8'), '\\x01', now(), now() + interval '1 day')`,
  `insert into attachments (attachment_id, project_id, environment_id, status, filename, mime_type, size_bytes, storage_key, created_at)
   values ('att_' || $1, ${tenant('0')}, 'stored', 'f', 'text/plain', 1000, $1, now())`,
  `insert into agent_runs (agent_run_id, project_id, environment_id, status, provider, model, mode, created_at, updated_at, state, version)
   values ('run_' || $1, ${tenant('0')}, 'pending', 'llm_provider_1', 'm', 'auto', now(), now(), '{}', 1)`,
];

export interface WritesDone {
  readonly count: number;
  /** Of the transaction that took longest, in milliseconds. */
  readonly longestMs: number;
}

/** Writes transactions of all of it, one after the other, until it is told to stop. */
export class Writer {
  readonly #client: pg.Client;
  #running: Promise<void> | undefined;
  #isStopped = false;
  #count = 0;
  #longestMs = 0;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  /** @param lockTimeoutMs a write that waits longer for a lock fails, and with it the writer; 0: it waits */
  static async start(url: string, lockTimeoutMs = 0): Promise<Writer> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`set lock_timeout = ${lockTimeoutMs}`);
    const writer = new Writer(client);
    writer.#running = writer.#write();
    // Whoever stops it is told.
    writer.#running.catch(() => undefined);
    return writer;
  }

  /** What was written since the last time. */
  take(): WritesDone {
    const done = { count: this.#count, longestMs: this.#longestMs };
    this.#count = 0;
    this.#longestMs = 0;
    return done;
  }

  /** Resolves when it has stopped; rejects as soon as a write has failed. */
  get ended(): Promise<void> | undefined {
    return this.#running;
  }

  /** Rejects where a write has failed. Idempotent. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #write(): Promise<void> {
    try {
      while (!this.#isStopped) {
        const id = randomUUID();
        const from = performance.now();
        await this.#client.query('begin');
        for (const write of writes) await this.#client.query(write, [id]);
        await this.#client.query('commit');
        this.#longestMs = Math.max(this.#longestMs, performance.now() - from);
        this.#count++;
      }
    } finally {
      await this.#client.end();
    }
  }
}
