/**
 * The periodic jobs serve 15,000 tenants in the number of sweeps that their limits allow, although the tenants that come first always have
 * more work.
 */
import t from 'tap';
import { Assigner } from '../../../gateway/jobs/assigner.ts';
import { FormerAssignees } from '../../../gateway/jobs/former-assignees.ts';
import { findPages } from '../../../gateway/jobs/recovery-scanner.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { channelsWithWebhooks } from '../../../storage/chatapp/inbox.ts';
import { MediaSweeper } from '../../../storage/media/sweep-media.ts';
import { endByokGraces } from '../../../storage/retention/credential-graces.ts';
import { ensurePartitions } from '../../../storage/retention/partitions.ts';
import { deleteInactiveSandboxThreads } from '../../../storage/retention/sandbox-threads.ts';
import { sweep } from '../../../storage/retention/sweep.ts';
import { followEvents } from '../../../storage/search/follow.ts';
import { countUsage } from '../../../storage/usage/count-usage.ts';
import { startTestDatabase } from '../../support/database.ts';
import { testHash } from '../../support/keyed-hash.ts';

const { database: db } = await startTestDatabase(t);
const tenants = 15_000;
const day = 86_400_000;
const now = Date.parse('2026-11-20T12:00:00Z');
await ensurePartitions(db, now, silentLog);

const tenantIds = `select 'proj_' || to_char(n, 'FM00000') as project_id, 'env_' || to_char(n, 'FM00000') as environment_id, n
  from generate_series(1, ${tenants}) n`;
const insert = (into: string, select: string, from = 'tenant'): Promise<unknown> =>
  db.query(`with tenant as (${tenantIds}) insert into ${into} select ${select} from ${from}`);
const count = async (from: string): Promise<number> => {
  const [row] = await db.query<{ count: number }>(`select count(*)::int as count from ${from}`);
  return row?.count ?? 0;
};

await insert('workspaces (workspace_id, name, created_at, updated_at)', `'ws_' || n, '', now(), now()`);
await insert(
  'projects (project_id, workspace_id, name, created_at, updated_at, assignment_mode)',
  `project_id, 'ws_' || n, '', now(), now(), 'roundRobin'`,
);
await insert(
  'environments (environment_id, project_id, kind, name, created_at, updated_at, rests_until)',
  `environment_id, project_id, 'sandbox', '', now(), now(), timestamptz '2026-11-01' + n * interval '1 second'`,
);
await insert('project_streams (project_id, last_seq, epoch)', `project_id, 0, 'epoch'`);

/** Each of the first tenants receives a message. */
const receive = (first: number, at = now): Promise<unknown> =>
  db.query(
    `with head as (
       update project_streams set last_seq = last_seq + 1, uncounted = true
       where project_id <= 'proj_' || to_char($1::int, 'FM00000') returning project_id, last_seq
     )
     insert into events (project_id, seq, event_id, event_name, occurred_at, environment_id, body)
     select project_id, last_seq, project_id || last_seq, 'thread.message.received', $2, 'env', '{}' from head`,
    [first, new Date(at)],
  );

const threadColumns =
  'thread_id, project_id, environment_id, status, assignee_user_id, last_message_at, active_second, created_at, updated_at, state, version';
const thread = (id: string, assignee = 'null::text'): string =>
  `${id}, project_id, environment_id, 'open', ${assignee}, timestamptz '2026-10-01', 0, timestamptz '2026-10-01', timestamptz '2026-10-01', '{}', 1`;

interface Job {
  /** Sweeps after which every tenant has been served. */
  readonly sweeps: number;
  readonly arrange: () => Promise<unknown>;
  readonly sweep: () => Promise<unknown>;
  /** Tenants that have not been served. */
  readonly countLeft: () => Promise<number> | number;
}

const assigned = new Set<string>();
const formerAssignees = new FormerAssignees({
  database: db,
  node: { ask: <T>({ id }: { id: string }) => Promise.resolve(assigned.add(id) as T) },
});
const woken = new Set<string>();
const asked = new Set<unknown>();
const assigner = new Assigner({
  database: {
    query: (text, values, name) => {
      if (values?.length === 4) asked.add(values[0]);
      return db.query(text, values, name);
    },
  },
  node: { isLeader: true, ask: () => Promise.reject(new Error('no operator has room')) },
  clock: { now: () => now },
  log: silentLog,
});
const media = new MediaSweeper({
  database: db,
  media: { remove: key => (key < 'proj_10000' ? Promise.reject(new Error('refused')) : Promise.resolve()) },
});

const jobs: Readonly<Record<string, Job>> = {
  countUsage: {
    sweeps: 2,
    arrange: () => receive(tenants),
    sweep: async () => {
      await countUsage(db);
      await receive(10_000, now + day);
    },
    countLeft: () =>
      count(
        'project_streams p where not exists (select from usage_marks m where m.project_id = p.project_id)',
      ),
  },
  dropEvents: {
    sweeps: 1,
    arrange: () => Promise.resolve(),
    sweep: () => sweep({ database: db, hash: testHash, log: silentLog }, now + 31 * day),
    countLeft: () => count(`events where occurred_at < timestamptz '2026-11-21'`),
  },
  search: {
    sweeps: tenants / 200,
    arrange: () => receive(tenants),
    sweep: async () => {
      await followEvents(db);
      await receive(200, now + day);
    },
    countLeft: () =>
      count(
        'project_streams p where not exists (select from search_marks m where m.project_id = p.project_id)',
      ),
  },
  'idle sandbox threads': {
    sweeps: 1,
    // The first three have more than a sweep removes: each has its share, and then the others that were due before have theirs.
    arrange: async () => {
      await db.query(
        `update environments set rests_until = timestamptz '2026-11-01' + right(environment_id, 5)::int * interval '1 second'`,
      );
      await insert(`threads (${threadColumns})`, thread(`'thread_' || n`));
      await insert(
        `threads (${threadColumns})`,
        thread(`'many_' || n || '_' || copy`),
        'tenant cross join generate_series(1, 11000) copy where n <= 3',
      );
    },
    sweep: () => deleteInactiveSandboxThreads(db, now),
    countLeft: () =>
      count(`threads where thread_id like 'thread_%' and environment_id between 'env_00004' and 'env_00500'`),
  },
  'erased files': {
    sweeps: 2,
    // The store refuses to remove those of the first tenants.
    arrange: () =>
      insert(
        'attachments (attachment_id, project_id, environment_id, status, filename, mime_type, size_bytes, storage_key, created_at)',
        `'att_' || project_id, project_id, environment_id, 'erased', '', 'text/plain', 1, project_id, now()`,
      ),
    sweep: () => media.sweep(now).catch(() => undefined),
    countLeft: () => count(`attachments where storage_key > 'proj_10000'`),
  },
  'former assignees': {
    sweeps: 8,
    arrange: () => insert(`threads (${threadColumns})`, thread(`'assigned_' || n`, `'user_' || n`)),
    sweep: () => formerAssignees.sweep(),
    countLeft: () => tenants - assigned.size,
  },
  assignment: {
    sweeps: tenants / 200,
    arrange: () =>
      insert(
        'operators (project_id, user_id, online_until)',
        `project_id, 'user_' || n, timestamptz '2027-01-01'`,
      ),
    sweep: () => assigner.pass(),
    countLeft: () => tenants - asked.size,
  },
  'graces of secrets': {
    sweeps: 1,
    arrange: async () => {
      await insert(
        'byok_credentials (byok_credential_id, project_id, environment_id, provider, display_name, status, secret, previous_secret, key_fingerprint, created_at, updated_at, rotation_grace_expires_at)',
        `'byok_' || n, project_id, environment_id, 'llm_provider_1', '', 'rotating', '', 'old', '', now(), now(), timestamptz '2026-11-01'`,
      );
    },
    sweep: () => endByokGraces(db, now),
    countLeft: () => count(`byok_credentials where previous_secret is not null`),
  },
  'lost wake-ups': {
    sweeps: 1,
    arrange: () => insert('chatapp_open_webhooks (channel_id, request_id, bytes)', `'ch_' || n, 'req', 1`),
    sweep: async () => {
      for await (const page of findPages((limit, after) => channelsWithWebhooks(db, limit, after))) {
        for (const channelId of page) woken.add(channelId);
      }
    },
    countLeft: () => tenants - woken.size,
  },
};

for (const [name, { sweeps, arrange, sweep, countLeft }] of Object.entries(jobs)) {
  t.test(`${name} serves every tenant`, async t => {
    await arrange();
    await db.query('analyze');
    t.ok((await countLeft()) > 0, 'there is work');
    for (let done = 0; done < sweeps; done++) await sweep();
    t.equal(await countLeft(), 0);
  });
}
