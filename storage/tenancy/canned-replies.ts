/** Canned replies of projects. */
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { passesIfMatch } from '../../protocol/etag.ts';
import { newId } from '../../protocol/ids.ts';
import type { AuditAction, CannedReply as CannedReplyResource } from '../../protocol/resources/index.ts';
import { recordUserAction, type UserAuditContext } from '../audit/index.ts';
import { type Database, type Queries, violatesConstraint } from '../database/index.ts';
import { CannedReply } from '../entities/index.ts';
import { type Keyed, transactOnce } from '../idempotency/index.ts';
import { type Cursors, type Page, type PageRequest, cutPage, toPage } from '../paging/index.ts';
import { type Limits, requireWithinLimit } from '../writes/index.ts';
import type { TenancyRules } from './rules.ts';

type CannedReplyRow = InferEntity<typeof CannedReply>;
type CannedReplyFields = Pick<CannedReplyResource, 'shortcut' | 'title' | 'body'>;

/** A change of one of a project's replies. */
export interface CannedReplyChange extends UserAuditContext {
  readonly projectId: string;
  readonly cannedReplyId: string;
  /** The header If-Match; empty or absent: there is no condition. */
  readonly ifMatch?: string | undefined;
}

const select = `
  select canned_reply_id as "cannedReplyId", project_id as "projectId", shortcut, title, body, created_by_user_id as "createdByUserId",
    updated_by_user_id as "updatedByUserId", created_at as "createdAt", updated_at as "updatedAt"
  from canned_replies`;

const selectPage = `${select} where project_id = $1 and shortcut > $2 and ($3::text[] is null or canned_reply_id = any ($3))
  order by shortcut limit $4`;

// A project has few enough of them (storage/writes/limits.ts) to look at each.
const selectTitles = `
  select canned_reply_id as "cannedReplyId", shortcut, title from canned_replies where project_id = $1 and shortcut > $2
  order by shortcut`;

/** Undefined where there is no such reply. */
export async function findCannedReplyProject(
  db: Queries,
  cannedReplyId: string,
): Promise<string | undefined> {
  const [row] = await db.query<{ projectId: string }>(
    'select project_id as "projectId" from canned_replies where canned_reply_id = $1',
    [cannedReplyId],
    'cannedReplies.project',
  );
  return row?.projectId;
}

export interface CannedRepliesOptions {
  readonly db: Database;
  readonly cursors: Cursors;
  readonly rules: Pick<TenancyRules, 'refuse' | 'shortcutTaken'>;
  readonly limits: Limits;
}

export class CannedReplies {
  readonly #options: CannedRepliesOptions;

  constructor(options: CannedRepliesOptions) {
    this.#options = options;
  }

  /** By shortcut. @param q how the shortcut, with its slash or without, or the title begins */
  async list(
    projectId: string,
    { cursor, limit, q }: PageRequest & { readonly q?: string | undefined },
  ): Promise<Page<CannedReplyResource>> {
    const { db, cursors } = this.#options;
    const scope = `canned-replies ${projectId} ${q ?? ''}`;
    const after = cursor === undefined ? '' : String(cursors.decode(scope, cursor)[0]);
    const ids = q === undefined ? null : (await this.#search(projectId, after, q)).slice(0, limit + 1);
    const rows = await db.query<CannedReplyRow>(
      selectPage,
      [projectId, after, ids, limit + 1],
      'cannedReplies.list',
    );
    return toPage(cutPage(rows.map(toResource), limit), last => cursors.encode(scope, [last.shortcut]));
  }

  /** Ids, by shortcut. Capitals are compared here, since the database may know those of ASCII alone. */
  async #search(projectId: string, after: string, q: string): Promise<string[]> {
    const rows = await this.#options.db.query<Pick<CannedReplyRow, 'cannedReplyId' | 'shortcut' | 'title'>>(
      selectTitles,
      [projectId, after],
      'cannedReplies.titles',
    );
    const beginning = q.toLowerCase();
    const shortcut = beginning.startsWith('/') ? beginning : `/${beginning}`;
    return rows
      .filter(row => row.shortcut.startsWith(shortcut) || row.title.toLowerCase().startsWith(beginning))
      .map(({ cannedReplyId }) => cannedReplyId);
  }

  /** Undefined where the project has no such reply. */
  async find(projectId: string, cannedReplyId: string): Promise<CannedReplyResource | undefined> {
    const [row] = await this.#options.db.query<CannedReplyRow>(
      `${select} where project_id = $1 and canned_reply_id = $2`,
      [projectId, cannedReplyId],
      'cannedReplies.find',
    );
    return row && toResource(row);
  }

  /** Refused for a shortcut that the project has already. */
  create({
    projectId,
    key,
    shortcut,
    title,
    body,
    ...context
  }: UserAuditContext &
    Keyed &
    CannedReplyFields & { readonly projectId: string }): Promise<CannedReplyResource> {
    const at = new Date(context.now);
    return this.#requireFree(projectId, shortcut, () =>
      transactOnce(this.#options.db, key, async em => {
        const row = em.create(CannedReply, {
          cannedReplyId: newId('cannedReply', context.now),
          projectId,
          shortcut,
          title,
          body,
          createdByUserId: context.byUserId,
          updatedByUserId: context.byUserId,
          createdAt: at,
          updatedAt: at,
        });
        await em.flush();
        await requireWithinLimit(em, this.#options.limits, 'cannedReplies', projectId);
        await record(em, context, 'canned_reply.created', row);
        return toResource(row);
      }),
    );
  }

  /** A change that changes nothing is not recorded. */
  update(
    change: CannedReplyChange & { readonly changes: Partial<CannedReplyFields> },
  ): Promise<CannedReplyResource> {
    const { projectId, changes, byUserId, now } = change;
    return this.#requireFree(projectId, changes.shortcut, () =>
      this.#options.db.em().transactional(async em => {
        const row = await this.#lock(em, change);
        const { shortcut = row.shortcut, title = row.title, body = row.body } = changes;
        if (shortcut === row.shortcut && title === row.title && body === row.body) return toResource(row);
        Object.assign(row, { shortcut, title, body, updatedByUserId: byUserId, updatedAt: new Date(now) });
        await em.flush();
        await record(em, change, 'canned_reply.updated', row);
        return toResource(row);
      }),
    );
  }

  async remove(change: CannedReplyChange): Promise<void> {
    await this.#options.db.em().transactional(async em => {
      const row = await this.#lock(em, change);
      await em.remove(row).flush();
      await record(em, change, 'canned_reply.deleted', row);
    });
  }

  /** Of several changes of one reply, each waits here for the one before. */
  async #lock(
    em: EntityManager,
    { projectId, cannedReplyId, ifMatch = '' }: CannedReplyChange,
  ): Promise<CannedReplyRow> {
    const { rules } = this.#options;
    const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
    const row = await em.findOne(CannedReply, { cannedReplyId, projectId }, lock);
    if (row === null) throw rules.refuse('absent');
    if (!passesIfMatch(ifMatch, toResource(row))) throw rules.refuse('changed');
    return row;
  }

  /** Says which reply has the shortcut that the work would give to a second one. */
  async #requireFree<T>(projectId: string, shortcut: string | undefined, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!violatesConstraint(error, 'canned_replies_shortcut')) throw error;
      const [taken] = await this.#options.db.query<{ cannedReplyId: string }>(
        'select canned_reply_id as "cannedReplyId" from canned_replies where project_id = $1 and shortcut = $2',
        [projectId, shortcut],
        'cannedReplies.shortcut',
      );
      throw this.#options.rules.shortcutTaken(taken?.cannedReplyId);
    }
  }
}

function record(
  em: EntityManager,
  context: UserAuditContext,
  action: AuditAction,
  { projectId, cannedReplyId, shortcut }: CannedReplyRow,
): Promise<void> {
  return recordUserAction(em, context, { projectId, action, targetId: cannedReplyId, details: { shortcut } });
}

function toResource(row: CannedReplyRow): CannedReplyResource {
  return {
    cannedReplyId: row.cannedReplyId,
    projectId: row.projectId,
    shortcut: row.shortcut,
    title: row.title,
    body: row.body,
    createdByUserId: row.createdByUserId,
    updatedByUserId: row.updatedByUserId,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
