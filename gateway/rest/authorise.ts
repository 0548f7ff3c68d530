/**
 * Who may do what (decisions section 3): the one place that decides it, from the operation's row and what the caller is.
 *
 * Permission or absence: where the operation's errors have a 403, a project that the caller can see but may not touch so is
 * 403; where they have none, 404. What is another tenant's is always 404, the same to the byte.
 */
import { ServiceError, type ErrorCode } from '../../protocol/errors.ts';
import type { ConsoleRole, Operation, StudioRole } from '../../protocol/operation.ts';
import type { ProjectAccess } from '../../storage/tenancy/access.ts';
import type { Caller, KeyCaller, ProjectScope, ServiceCaller, UserCaller } from './handler.ts';

/** What users are in projects and workspaces (storage/tenancy/access.ts). */
export interface Tenancy {
  /** Undefined where the user is nobody. A value rather than a promise when it is known already. */
  project(userId: string, projectId: string): ProjectAccess | undefined | Promise<ProjectAccess | undefined>;
  workspaceRole(userId: string, workspaceId: string): Promise<StudioRole | undefined>;
}

/** The rules for one operation. */
export class Authority {
  readonly #operation: Operation;
  readonly #tenancy: Tenancy;
  readonly #errors: ReadonlySet<ErrorCode>;

  constructor(operation: Operation, tenancy: Tenancy) {
    this.#operation = operation;
    this.#tenancy = tenancy;
    this.#errors = new Set(operation.errors);
  }

  /** Whether the operation needs a credential in the Authorization header. */
  get needsCaller(): boolean {
    return this.#operation.auth === 'user' || this.#operation.auth === 'project';
  }

  /** Whether the operation acts in a project. */
  get inProject(): boolean {
    return this.#operation.auth === 'project' || this.#operation.auth === 'stream';
  }

  /** Refuses a credential that no project could make good: before the request is looked at any closer. */
  admit(caller: Caller): void {
    if (caller.type !== 'key') return;
    if (!this.inProject) {
      // Such operations know Studio tokens only, and a key is none.
      throw this.#errors.has('svc/auth/insufficient_scope')
        ? new ServiceError('svc/auth/insufficient_scope')
        : new ServiceError('svc/auth/invalid_token');
    }
    if (!this.#hasScopes(caller)) throw this.#denied(caller);
  }

  /**
   * The scope of a call in a project; rejects or throws when it has none. `projectId` undefined: the request named no
   * project, so a key acts in its own, and for a user it is known only once the resource was found.
   */
  scope(
    caller: Caller,
    projectId: string | undefined,
    environmentId: string | undefined,
  ): ProjectScope | undefined | Promise<ProjectScope> {
    if (caller.type === 'key') return this.#keyScope(caller, projectId, environmentId);
    if (projectId === undefined) return undefined;
    const access = this.#tenancy.project(caller.userId, projectId);
    if (access instanceof Promise) return access.then(found => this.#userScope(caller, found, environmentId));
    return this.#userScope(caller, access, environmentId);
  }

  /** The user's role in a workspace that the operation admits; rejects when there is none. */
  async workspaceRole(caller: Caller, workspaceId: string): Promise<StudioRole> {
    const role =
      caller.type === 'user' ? await this.#tenancy.workspaceRole(caller.userId, workspaceId) : undefined;
    if (role === undefined) throw this.absent();
    if (this.#operation.access !== undefined && !this.#admitsStudio(role)) throw this.#denied(caller);
    return role;
  }

  /** The answer for what does not exist, for this caller. */
  absent(): ServiceError {
    const console = this.#errors.has('svc/console/not_found') && !this.#errors.has('svc/runtime/not_found');
    return new ServiceError(console ? 'svc/console/not_found' : 'svc/runtime/not_found');
  }

  #keyScope(key: KeyCaller, projectId: string | undefined, environmentId: string | undefined): ProjectScope {
    if (projectId !== undefined && projectId !== key.projectId) throw this.absent();
    if (environmentId !== undefined && environmentId !== key.environmentId) throw this.absent();
    return {
      projectId: key.projectId,
      environmentId: key.environmentId,
      environmentKind: key.environmentKind,
      role: 'key',
    };
  }

  #userScope(
    user: UserCaller,
    access: ProjectAccess | undefined,
    environmentId: string | undefined,
  ): ProjectScope {
    if (access === undefined) throw this.absent();
    const role = this.#roleIn(access);
    if (role === undefined) throw this.#denied(user);
    const environment = access.environments.find(
      environmentId === undefined
        ? each => each.kind === 'sandbox'
        : each => each.environmentId === environmentId,
    );
    if (environment === undefined) throw this.absent();
    if (environment.kind === 'production' && !user.emailVerified) {
      throw new ServiceError('svc/auth/email_not_verified');
    }
    return {
      projectId: access.projectId,
      environmentId: environment.environmentId,
      environmentKind: environment.kind,
      role,
    };
  }

  #roleIn(access: ProjectAccess): StudioRole | ConsoleRole | undefined {
    const { studioRole, consoleRole } = access;
    if (studioRole !== undefined && this.#admitsStudio(studioRole)) return studioRole;
    if (consoleRole !== undefined && this.#operation.access?.console.includes(consoleRole))
      return consoleRole;
    return undefined;
  }

  #admitsStudio(role: StudioRole): boolean {
    const admitted = this.#operation.access?.studio ?? [];
    // Owner and admin of the workspace are developers in every project.
    const alsoDeveloper = role === 'owner' || role === 'admin';
    return admitted.includes(role) || (alsoDeveloper && admitted.includes('developer'));
  }

  #hasScopes(key: KeyCaller): boolean {
    const needed = this.#operation.access?.scopes ?? null;
    // The wildcard is every scope, but no entrance where keys have none.
    if (needed === null) return false;
    return key.scopes.has('*') || needed.every(scope => key.scopes.has(scope));
  }

  #denied(caller: Caller): ServiceError {
    if (caller.type === 'user' && this.#errors.has('svc/console/forbidden')) {
      return new ServiceError('svc/console/forbidden');
    }
    return this.#errors.has('svc/auth/insufficient_scope')
      ? new ServiceError('svc/auth/insufficient_scope')
      : this.absent();
  }
}

/**
 * The only environment whose events the Console's stream shows to the caller; undefined: both. A key sees its own, a member the
 * whole project, but for production until the e-mail is verified.
 */
export function shownEnvironment(caller: Caller | ServiceCaller, scope: ProjectScope): string | undefined {
  const limited = caller.type === 'key' || (caller.type === 'user' && !caller.emailVerified);
  return limited ? scope.environmentId : undefined;
}
