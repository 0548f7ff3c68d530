/**
 * The account that answers for a project: the oldest owner of its workspace, and whether an owner has a verified e-mail address. Asked for
 * every webhook to a public host, and held for some seconds.
 */
import type { Clock } from '../../runtime/time/index.ts';
import { type Queries, TtlCache } from '../database/index.ts';

export interface ProjectAccount {
  /** Id of a user; the workspace's id where it has no owner. */
  readonly accountId: string;
  readonly isVerified: boolean;
}

/** Milliseconds until a verified address counts. */
const maxAgeMs = 5_000;

const select = `
  select coalesce((array_agg(m.user_id order by m.created_at, m.user_id) filter (where m.user_id is not null))[1], p.workspace_id) as "accountId",
    coalesce(bool_or(u.email_verified_at is not null), false) as "isVerified"
  from projects p
  left join workspace_members m on m.workspace_id = p.workspace_id and m.role = 'owner'
  left join users u on u.user_id = m.user_id
  where p.project_id = $1 group by p.workspace_id`;

export class ProjectAccounts {
  readonly #found: TtlCache<ProjectAccount, string>;

  constructor(db: Queries, clock: Clock) {
    this.#found = new TtlCache({
      clock,
      maxAgeMs,
      load: async projectId => {
        const [row] = await db.query<ProjectAccount>(select, [projectId], 'projects.account');
        return row;
      },
    });
  }

  /** Returns a value rather than a promise if it is known. A project that does not exist has an account of its own. */
  find(projectId: string): ProjectAccount | Promise<ProjectAccount> {
    const found = this.#found.get(projectId, projectId);
    const absent = { accountId: projectId, isVerified: false };
    return found instanceof Promise ? found.then(row => row ?? absent) : found;
  }
}
