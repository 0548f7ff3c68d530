/**
 * Proven domains, looked for in DNS again: a workspace whose domain goes to another owner must not sign in its addresses any more.
 *
 *   checked -> checked    once a day, while the record is there; an answer that DNS does not give changes nothing
 *   checked -> missing    DNS says that the record is not there: from then on it is looked for every hour
 *   missing -> checked    the record is there again
 *   missing -> unproven   it was not there for three days
 */
import { recordAuditEntries } from '../audit/index.ts';
import type { Database } from '../database/index.ts';
import { SsoDomain } from '../entities/index.ts';

const graceMs = 3 * 86_400_000;

/** A domain that is due. */
export interface DueDomain {
  readonly workspaceId: string;
  readonly domain: string;
  readonly proof: string;
}

const selectDue = `
  select workspace_id as "workspaceId", domain, proof from sso_domains
  where proven_at is not null
    and coalesce(checked_at, proven_at) <= $1::timestamptz - case when missing_since is null then interval '24 hours' else interval '1 hour' end
  order by coalesce(checked_at, proven_at), workspace_id, domain limit $2`;

export class DomainChecks {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Lists domains that are due at `now` (epoch milliseconds), the longest due first. */
  listDue(now: number, limit: number): Promise<DueDomain[]> {
    return this.#db.query<DueDomain>(selectDue, [new Date(now), limit], 'sso.due_domains');
  }

  /**
   * Records what DNS says. Resolves to whether the domain counts as proven.
   *
   * @param isThere undefined: DNS gave no answer
   */
  async record(
    { workspaceId, domain, proof }: DueDomain,
    isThere: boolean | undefined,
    now: number,
  ): Promise<boolean> {
    const at = new Date(now);
    return this.#db.em().transactional(async em => {
      const row = await em.findOne(SsoDomain, { workspaceId, domain, proof });
      if (row === null || !row.provenAt) return false;
      row.checkedAt = at;
      if (isThere === true) row.missingSince = null;
      if (isThere === false) row.missingSince ??= at;
      const since = row.missingSince?.getTime() ?? now;
      if (isThere !== false || now - since < graceMs) return true;
      em.assign(row, { provenAt: null, required: false, missingSince: null, updatedAt: at });
      await em.flush();
      const details = { proven: false, required: false };
      const actor = { type: 'system', id: 'system' } as const;
      const entry = { workspaceId, actor, targetId: domain, details } as const;
      await recordAuditEntries(em, [{ ...entry, action: 'single_sign_on.domain_updated' }], now);
      return false;
    });
  }
}
