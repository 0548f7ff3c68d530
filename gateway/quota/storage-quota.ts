/**
 * How much tenants may write (docs/operate/rate-limits.md, "Rows and events"): the bytes of rows and events of 30 days, in three accounts, of
 * the project, of its workspace, and of the user who pays for it. While one of them is full, the project is full, and its requests are refused.
 *
 * Only the first request of a project waits for it, until the project's rows are read: else a tenant without room could go on in one new project
 * after the other. The store counts what it commits; once a second the quota takes that, adds what is due to the
 * rows, reads them, and says which projects are full. An account knows what the rows have left, and subtracts what this node has yet to add. So a
 * tenant may exceed its quota by what is written within a second, and in a cluster by what the other nodes have not added: at most
 * `settleBytes` of an account, or the writes of `settleMs`.
 */
import { LimitReached } from '../../runtime/actor/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import type { Clock, Timer } from '../../runtime/time/index.ts';
import type { Queries } from '../../storage/database/index.ts';
import { addStoredBytes, readStoredBytes, type StoredBytes } from '../../storage/usage/index.ts';
import type { LimitName, Limits } from '../../storage/writes/index.ts';

const tickMs = 1_000;
/** Bytes of an account, and milliseconds, after which they are added to the rows. */
const settleBytes = 1_048_576;
const settleMs = 60_000;
/** Milliseconds after which the rows of a full account are read again: its owner may have verified an address. */
const refreshMs = 5_000;
/** Milliseconds after which a project that writes nothing is forgotten. */
const idleMs = 600_000;
/** Projects of one statement. */
const batchProjects = 500;

type QuotaName = Extract<LimitName, `${string}RowBytes`>;

interface Account {
  name: QuotaName;
  /** Bytes that the rows had left when they were last read. */
  room: number;
  /** Bytes that this node has not added to the rows. */
  pending: number;
}

interface Project {
  /** Undefined: the rows have not been read yet. */
  accounts: readonly Account[] | undefined;
  /** Bytes that this node has not added to the rows, and since when, in monotonic milliseconds. */
  pending: number;
  pendingSince: number;
  usedAt: number;
  readAt: number;
  /** A request was refused since the rows were read. */
  isRefused: boolean;
}

export interface StorageQuotaOptions {
  readonly database: Queries;
  readonly limits: Limits;
  /** What was committed since the last call, by project, in bytes. */
  readonly takeStored: () => ReadonlyMap<string, number>;
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  readonly log: Log;
}

export class StorageQuota {
  /** The projects that may write nothing, each with the limit that it has reached. */
  readonly full = new Map<string, QuotaName>();
  /** The projects of which this is known. */
  readonly known = new Set<string>();
  readonly #learning = new Map<string, Promise<void>>();
  readonly #options: StorageQuotaOptions;
  readonly #projects = new Map<string, Project>();
  #accounts = new Map<string, Account>();
  #timer: Timer | undefined;
  #settling: Promise<void> | undefined;
  #stopped = false;

  constructor(options: StorageQuotaOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = this.#options.clock.after(tickMs, () => {
      this.#settling = this.settle(false).finally(() => {
        this.#settling = undefined;
        if (!this.#stopped) this.start();
      });
    });
  }

  /** Adds what is pending to the rows. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#settling;
    await this.settle(true);
  }

  /** Throws what refuses a request of a full project, whose rows are read again soon. */
  refuse(projectId: string): never {
    const name = this.full.get(projectId) ?? 'projectRowBytes';
    this.#find(projectId).isRefused = true;
    throw new LimitReached(name, this.#options.limits[name]);
  }

  /** Reads the rows of a project that is not known. Never rejects: what could not be read is read with what is due. */
  learn(projectId: string): Promise<void> {
    const waiting = this.#learning.get(projectId);
    if (waiting !== undefined) return waiting;
    const learning = this.#learn(projectId).finally(() => this.#learning.delete(projectId));
    this.#learning.set(projectId, learning);
    return learning;
  }

  async #learn(projectId: string): Promise<void> {
    const project = this.#find(projectId);
    try {
      const [row] = await readStoredBytes(this.#options.database, [projectId]);
      if (row !== undefined) this.#takeRow(project, row, false);
    } catch (err) {
      this.#options.log.warn(
        { err, projectId },
        'the written bytes of a project could not be read; will retry',
      );
    }
    this.known.add(projectId);
    this.#mark(projectId, project);
  }

  /** The project has written so many bytes. */
  add(projectId: string, bytes: number): void {
    if (bytes <= 0) return;
    const project = this.#find(projectId);
    if (project.pending === 0) project.pendingSince = project.usedAt;
    project.pending += bytes;
    for (const account of project.accounts ?? []) account.pending += bytes;
  }

  /** Adds what is due to the rows, or all, and reads them. Never rejects: what could not be added stays pending. */
  async settle(all: boolean): Promise<void> {
    for (const [projectId, bytes] of this.#options.takeStored()) this.add(projectId, bytes);
    const now = this.#options.clock.monotonic();
    const due = [...this.#projects].filter(([, project]) =>
      all ? project.pending > 0 : isDue(project, now),
    );
    try {
      for (let at = 0; at < due.length; at += batchProjects) {
        await this.#settleSome(due.slice(at, at + batchProjects));
      }
    } catch (err) {
      this.#options.log.warn({ err }, 'the written bytes of tenants could not be counted; will retry');
    }
    this.#forgetIdle(now);
    this.#findFull();
  }

  #find(projectId: string): Project {
    let project = this.#projects.get(projectId);
    if (project === undefined) {
      project = {
        accounts: undefined,
        pending: 0,
        pendingSince: 0,
        usedAt: 0,
        readAt: -Infinity,
        isRefused: false,
      };
      this.#projects.set(projectId, project);
    }
    project.usedAt = this.#options.clock.monotonic();
    return project;
  }

  async #settleSome(due: readonly (readonly [string, Project])[]): Promise<void> {
    const { database } = this.#options;
    const spent = new Map(
      due.filter(([, { pending }]) => pending > 0).map(([id, { pending }]) => [id, pending]),
    );
    if (spent.size > 0) await addStoredBytes(database, spent);
    for (const [id, project] of due) {
      const bytes = spent.get(id) ?? 0;
      project.pending -= bytes;
      project.pendingSince = project.usedAt;
      for (const account of project.accounts ?? []) {
        account.pending -= bytes;
        account.room -= bytes;
      }
    }
    const rows = await readStoredBytes(
      database,
      due.map(([id]) => id),
    );
    const readAt = this.#options.clock.monotonic();
    const byProject = new Map(rows.map(row => [row.projectId, row]));
    for (const [id, project] of due) {
      project.readAt = readAt;
      project.isRefused = false;
      const row = byProject.get(id);
      if (row !== undefined) this.#takeRow(project, row, true);
    }
  }

  /** @param refresh false: accounts that are known stay as they are, because their bytes may be on the way to the rows */
  #takeRow(project: Project, row: StoredBytes, refresh: boolean): void {
    const unverified = row.isVerified ? undefined : 'unverifiedRowBytes';
    const take = (owner: string, name: QuotaName, bytes: number): Account =>
      (refresh ? undefined : this.#accounts.get(owner)) ?? this.#takeTotal(owner, name, bytes);
    const accounts = [
      take(row.projectId, unverified ?? 'projectRowBytes', row.ofProject),
      take(row.workspaceId, unverified ?? 'workspaceRowBytes', row.ofWorkspace),
      ...(row.userId === null ? [] : [take(row.userId, unverified ?? 'userRowBytes', row.ofUser)]),
    ];
    for (const account of accounts) {
      if (project.accounts?.includes(account) !== true) account.pending += project.pending;
    }
    for (const former of project.accounts ?? []) {
      if (!accounts.includes(former)) former.pending -= project.pending;
    }
    project.accounts = accounts;
  }

  #takeTotal(owner: string, name: QuotaName, total: number): Account {
    const room = this.#options.limits[name] - total;
    const known = this.#accounts.get(owner);
    if (known !== undefined) return Object.assign(known, { name, room });
    const account = { name, room, pending: 0 };
    this.#accounts.set(owner, account);
    return account;
  }

  #findFull(): void {
    for (const [id, project] of this.#projects) this.#mark(id, project);
  }

  #mark(projectId: string, { accounts = [] }: Project): void {
    const reached = accounts.find(({ room, pending }) => room <= pending);
    if (reached === undefined) this.full.delete(projectId);
    else this.full.set(projectId, reached.name);
  }

  #forgetIdle(now: number): void {
    let isIdle = false;
    for (const [id, { pending, usedAt }] of this.#projects) {
      if (pending > 0 || now - usedAt < idleMs) continue;
      this.#projects.delete(id);
      this.full.delete(id);
      this.known.delete(id);
      isIdle = true;
    }
    if (!isIdle) return;
    const used = new Set([...this.#projects.values()].flatMap(({ accounts }) => accounts ?? []));
    this.#accounts = new Map([...this.#accounts].filter(([, account]) => used.has(account)));
  }
}

function isDue({ accounts, pending, pendingSince, readAt, isRefused }: Project, now: number): boolean {
  if (accounts === undefined || isRefused) return now - readAt >= refreshMs;
  return (
    pending > 0 &&
    (now - pendingSince >= settleMs || accounts.some(account => account.pending >= settleBytes))
  );
}
