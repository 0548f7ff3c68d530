/** Where a call acts: a service token is bound to no tenant, so each request names its project and environment. */
import { notFound } from '../../protocol/errors.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Database } from '../../storage/database.ts';
import { headOfEnvironment, type EnvironmentHead } from '../../storage/reads/environments.ts';
import { streamHeads } from '../../storage/reads/events.ts';
import { LookUps } from '../../storage/tenancy/look-ups.ts';
import type { ProjectScope } from '../rest/handler.ts';

export class Places {
  readonly #db: Pick<Database, 'query'>;
  readonly #environments: LookUps<EnvironmentHead, string>;

  constructor(db: Pick<Database, 'query'>, clock: Clock) {
    this.#db = db;
    this.#environments = new LookUps({ clock, ask: (id: string) => headOfEnvironment(db, id) });
  }

  /** Rejects with 404 where there is no such environment, or it is not the project's. */
  async scopeOf(projectId: string, environmentId: string): Promise<ProjectScope> {
    const environment = await this.#environments.get(environmentId, environmentId);
    if (environment?.projectId !== projectId) throw notFound();
    return { projectId, environmentId, environmentKind: environment.kind, role: 'service' };
  }

  /** Rejects with 404 where there is no such project. */
  async requireProject(projectId: string): Promise<void> {
    if ((await streamHeads(this.#db, [projectId])).length === 0) throw notFound();
  }
}
