/**
 * How much a tenant may have. The rows are counted in the transaction that adds one, under a lock of owner and limit
 * (storage/migrations/limits.ts), so that no two transactions pass a limit together.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { LimitReached } from '../../runtime/actor/index.ts';
import { fenceState } from '../database/index.ts';
import { statement, type Write } from '../statements/index.ts';

/** The limits, each with the tenant that it applies to. The defaults are far above normal use. */
export interface Limits {
  /** Of a project: keys that are not revoked. */
  readonly apiKeys: number;
  /** Of an environment: those that are not archived. */
  readonly stitches: number;
  /** Of an environment: those that are not archived, at one public host. */
  readonly stitchesPerHost: number;
  /** Of a project. */
  readonly tools: number;
  /** Of a project: those that are not archived; so for agents. */
  readonly looms: number;
  readonly agents: number;
  readonly channels: number;
  readonly cannedReplies: number;
  /** Of a loom. */
  readonly loomVersions: number;
  /** Of a project: those that are not revoked. */
  readonly byokCredentials: number;
  /** Of a workspace: those that are not revoked. */
  readonly partnerApps: number;
  /** Of an owner. */
  readonly workspaces: number;
  /** Of a workspace. */
  readonly projects: number;
  /** Of an environment: bytes of files that are announced and not uploaded yet. */
  readonly announcedBytes: number;
  /** Of an environment: bytes of all files, announced and stored. */
  readonly environmentBytes: number;
  /** The same of a workspace. */
  readonly workspaceBytes: number;
  /** The same of a workspace none of whose owners has verified an e-mail address. */
  readonly unverifiedBytes: number;
  /** Of a project: bytes of rows and events that were written in the last 30 days. */
  readonly projectRowBytes: number;
  /** The same of a workspace. */
  readonly workspaceRowBytes: number;
  /** The same of a user: of the workspaces that they have owned the longest. */
  readonly userRowBytes: number;
  /** The same of each of the three, where no owner of the workspace has verified an e-mail address. */
  readonly unverifiedRowBytes: number;
  /** Bytes of a database that is not the embedded one: writes are refused beyond it. */
  readonly databaseBytes: number;
  /** Of a node that keeps files in a folder, or has the embedded database: bytes of its disk that stay free. */
  readonly freeDiskBytes: number;
  /** Automatic answers of agents within one hour, on one thread. */
  readonly threadAnswers: number;
  /** The same, on all threads of one participant in an environment. */
  readonly participantAnswers: number;
  /** Automatic answers in a row between agents: an inbound message with so many hops is not answered automatically. */
  readonly answerHops: number;
  /** Cost of the agent runs of one UTC day, in millionths of a US dollar, in an environment whose budgets were never set. */
  readonly dayMicros: number;
}

/** Limits that `checkLimit` counts in rows. */
export type LimitName = Exclude<
  keyof Limits,
  | 'freeDiskBytes'
  | 'databaseBytes'
  | 'stitchesPerHost'
  | 'threadAnswers'
  | 'participantAnswers'
  | 'answerHops'
  | 'dayMicros'
>;

const gibibyte = 2 ** 30;

export const defaultLimits: Limits = {
  apiKeys: 1_000,
  stitches: 100,
  stitchesPerHost: 20,
  tools: 1_000,
  looms: 1_000,
  agents: 1_000,
  channels: 10_000,
  cannedReplies: 1_000,
  loomVersions: 1_000,
  byokCredentials: 100,
  partnerApps: 100,
  workspaces: 100,
  projects: 1_000,
  announcedBytes: 10 * gibibyte,
  environmentBytes: 200 * gibibyte,
  workspaceBytes: 500 * gibibyte,
  unverifiedBytes: gibibyte / 8,
  projectRowBytes: 2_048 * gibibyte,
  workspaceRowBytes: 4_096 * gibibyte,
  userRowBytes: 4_096 * gibibyte,
  unverifiedRowBytes: gibibyte / 16,
  databaseBytes: Number.MAX_SAFE_INTEGER,
  freeDiskBytes: gibibyte,
  threadAnswers: 30,
  participantAnswers: 60,
  answerHops: 8,
  dayMicros: 50_000_000,
};

const check = statement(
  'limit.check',
  12,
  { name: 'text', most: 'bigint', owner: 'text' },
  input =>
    `select skein_limit(name, most, owner) from (select * from ${input} order by name, owner) as ordered`,
);

/** The commit, which adds a row of that sort, fails with `LimitReached` if the owner has more than `most` then. */
export function checkLimit(name: LimitName, most: number, owner: string): Write {
  // As skein_limit names it. Of two such commits in a batch the second waits: together they would both be refused.
  return { statement: check, key: `${name}/${most}/${owner}`, unique: true, values: [name, most, owner] };
}

const checkHosts = statement(
  'limit.check_hosts',
  12,
  { most: 'bigint', environment: 'text', host: 'text' },
  input =>
    `select skein_limit_hosts(most, environment, host) from (select * from ${input} order by environment, host) as ordered`,
);

/** The commit fails with `LimitReached` if the environment then has more than `most` stitches at that host. */
export function checkStitchHosts(most: number, environmentId: string, host: string): Write {
  // As skein_limit_hosts names it.
  const key = `stitchesPerHost/${most}/${environmentId}/${host}`;
  return { statement: checkHosts, key, unique: true, values: [most, environmentId, host] };
}
/** Limits of rows that only transactions of the ORM add. The function of the database does not know them. */
const counts = {
  loomVersions: 'select count(*)::int as present from loom_versions where loom_id = ?',
  byokCredentials: `select count(*)::int as present from byok_credentials where project_id = ? and status <> 'revoked'`,
  partnerApps: `select count(*)::int as present from partner_apps where workspace_id = ? and status <> 'revoked'`,
} as const satisfies Partial<Record<LimitName, string>>;

/** The same for a transaction of the ORM, after its rows were flushed. */
export async function requireWithinLimit(
  em: EntityManager,
  limits: Limits,
  name: LimitName,
  owner: string,
): Promise<void> {
  if (name in counts) return requireCounted(em, limits, name as keyof typeof counts, owner);
  try {
    await em.execute('select skein_limit(?, ?, ?)', [name, limits[name], owner]);
  } catch (error) {
    // Of skein_fence, which the function calls for nothing else.
    if (error instanceof Error && 'code' in error && error.code === fenceState) {
      throw new LimitReached(name, limits[name]);
    }
    throw error;
  }
}

/** As skein_limit does: the lock lasts to the end of the transaction, and the count sees what was committed before it was taken. */
async function requireCounted(
  em: EntityManager,
  limits: Limits,
  name: keyof typeof counts,
  owner: string,
): Promise<void> {
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`limit/${name}/${owner}`]);
  const [row] = await em.execute<{ present: number }[]>(counts[name], [owner]);
  if (Number(row?.present) > limits[name]) throw new LimitReached(name, limits[name]);
}
