/**
 * Who may do what (docs/contract-decisions.md, "Who may do what"): the one place that decides it, from the operation's row and what
 * the caller is.
 *
 * Permission or absence: a project that the caller can see, but may not use in this way, is answered 403 where the operation's errors
 * have a 403, else 404. What belongs to another tenant is always 404, the same to the byte.
 */
import { invalid, ServiceError, type ErrorCode } from '../../protocol/errors.ts';
import { isId } from '../../protocol/ids.ts';
import {
  actingUserTitle,
  type ConsoleRole,
  type Operation,
  type StudioRole,
  takesActingUser,
} from '../../protocol/operation.ts';
import { access as grants } from '../../protocol/operations/index.ts';
import type { ProjectAccess, WorkspaceAccess } from '../../storage/tenancy/index.ts';
import type { Caller, KeyCaller, ProjectScope, ServiceCaller, UserCaller } from './handler.ts';

/** The roles of users in projects and workspaces (storage/tenancy/access-cache.ts). */
export interface Tenancy {
  /** Undefined where the user has no role. A value rather than a promise when it is known already. */
  project(userId: string, projectId: string): ProjectAccess | undefined | Promise<ProjectAccess | undefined>;
  workspace(userId: string, workspaceId: string): Promise<WorkspaceAccess | undefined>;
}

/** Who may do one operation, and where: by the operation table for keys and users ({@link Authority}), else by a transport's own rules. */
export interface AccessRules {
  /** Whether the operation needs a credential. */
  readonly needsCaller: boolean;
  /** Whether the operation acts in a project. */
  readonly inProject: boolean;
  /** Refuses a caller who may not do the operation in any project, before the request is looked at more closely. */
  admit(caller: Caller | ServiceCaller): void;
  /**
   * The scope of a call in a project; throws or rejects where the caller may not do it there. Undefined: the request named no
   * project, and where a user's call acts is known only once the resource is found.
   */
  scope(
    caller: Caller | ServiceCaller,
    projectId: string | undefined,
    environmentId: string | undefined,
  ): ProjectScope | undefined | Promise<ProjectScope>;
  /**
   * The caller's role in a workspace, where the operation admits it; rejects where there is none.
   *
   * @param memberId the member that the operation is about, if it is about one
   */
  workspaceRole(caller: Caller | ServiceCaller, workspaceId: string, memberId?: string): Promise<StudioRole>;
  /** Whether a key may name a user on whose behalf it does the operation. */
  readonly takesActingUser: boolean;
  /** The key as it acts for that user; throws or rejects where it may not. */
  actFor(caller: Caller | ServiceCaller, userId: string): KeyCaller | Promise<KeyCaller>;
  /** The answer for what does not exist. */
  absent(): ServiceError;
}

/** The rules of one operation for API keys and users. A service comes by gRPC, whose rules are its own. */
export class Authority implements AccessRules {
  readonly #operation: Operation;
  readonly #tenancy: Tenancy;
  readonly #errors: ReadonlySet<ErrorCode>;

  constructor(operation: Operation, tenancy: Tenancy) {
    this.#operation = operation;
    this.#tenancy = tenancy;
    this.#errors = new Set(operation.errors);
  }

  get needsCaller(): boolean {
    const { auth } = this.#operation;
    return auth === 'any' || auth === 'user' || auth === 'project';
  }

  get inProject(): boolean {
    return this.#operation.auth === 'project' || this.#operation.auth === 'stream';
  }

  admit(caller: Caller | ServiceCaller): void {
    if (caller.type === 'user' && caller.mustVerify === true && this.#operation.beforeVerification !== true) {
      throw new ServiceError('svc/auth/email_not_verified');
    }
    if (caller.type !== 'key' || this.#operation.auth === 'any') return;
    if ((this.#operation.access?.scopes ?? null) === null) throw this.#noKeys();
    if (!admitsKey(this.#operation, caller)) throw this.#denied(caller);
  }

  scope(
    caller: Caller | ServiceCaller,
    projectId: string | undefined,
    environmentId: string | undefined,
  ): ProjectScope | undefined | Promise<ProjectScope> {
    if (caller.type === 'service') throw this.absent();
    if (caller.type === 'key') return this.#keyScope(caller, projectId, environmentId);
    if (projectId === undefined) return undefined;
    const access = this.#tenancy.project(caller.userId, projectId);
    if (access instanceof Promise) return access.then(found => this.#userScope(caller, found, environmentId));
    return this.#userScope(caller, access, environmentId);
  }

  async workspaceRole(
    caller: Caller | ServiceCaller,
    workspaceId: string,
    memberId?: string,
  ): Promise<StudioRole> {
    const access =
      caller.type === 'user' ? await this.#tenancy.workspace(caller.userId, workspaceId) : undefined;
    if (access === undefined) throw this.absent();
    const { role, isArchived, requiresSecondFactor } = access;
    const isLeaving =
      this.#operation.method === 'DELETE' && caller.type === 'user' && memberId === caller.userId;
    if (!isLeaving) this.#requireSecondFactor(caller, requiresSecondFactor);
    if (this.#operation.access !== undefined && !admitsStudio(this.#operation, role))
      throw this.#denied(caller);
    if (isArchived && this.#needsUnarchived()) throw this.#denied(caller, describeArchived('workspace'));
    return role;
  }

  get takesActingUser(): boolean {
    return takesActingUser(this.#operation);
  }

  /** A user's act changes more of a thread than a key's, so it takes the scope that threads are changed by. */
  actFor(caller: Caller | ServiceCaller, userId: string): KeyCaller | Promise<KeyCaller> {
    if (caller.type !== 'key') {
      throw invalid([
        { path: actingUserPath, message: 'is taken with an API key alone', code: 'credential' },
      ]);
    }
    if (!admitsKey({ access: grants.writeThreads }, caller)) throw this.#lacks(caller, grants.writeThreads);
    if (!isId('user', userId)) throw this.#noSuchUser();
    const found = this.#tenancy.project(userId, caller.projectId);
    const check = (access: ProjectAccess | undefined): KeyCaller => {
      if (access === undefined || !mayAnswer(access)) throw this.#noSuchUser();
      return { ...caller, actingUserId: userId };
    };
    return found instanceof Promise ? found.then(check) : check(found);
  }

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
    const role = findRole(this.#operation, access);
    if (role === undefined) throw this.#denied(user);
    this.#requireSecondFactor(user, access.requiresSecondFactor);
    if (access.archived !== undefined && this.#needsUnarchived())
      throw this.#denied(user, describeArchived(access.archived));
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
      access,
    };
  }

  /** A valid key where only people are let in: 403 where the operation has one, else the credential is of the wrong kind. */
  #noKeys(): ServiceError {
    const message = 'API keys cannot do this, whatever their scopes: send a Studio access token.';
    const code = this.#errors.has('svc/auth/insufficient_scope')
      ? 'svc/auth/insufficient_scope'
      : 'svc/auth/invalid_token';
    return new ServiceError(code, { message });
  }

  /** Of a workspace that demands it of its members. */
  #requireSecondFactor(caller: Caller | ServiceCaller, isRequired: boolean | undefined): void {
    if (isRequired !== true || (caller.type === 'user' && caller.hasSecondFactor)) return;
    throw this.#denied(caller, describeSecondFactor, { reason: 'second_factor' });
  }

  /** What is archived can be read, and things can be taken away from it: nothing else, but for a few operations. */
  #needsUnarchived(): boolean {
    const { method, whileArchived = false } = this.#operation;
    return method !== 'GET' && method !== 'DELETE' && !whileArchived;
  }

  /** @param message to a user; by default which roles the operation takes */
  #denied(
    caller: Caller | ServiceCaller,
    message = describeRoles(this.#operation),
    details?: Readonly<Record<string, unknown>>,
  ): ServiceError {
    const told = { message, ...(details === undefined ? {} : { details }) };
    if (caller.type === 'user' && this.#errors.has('svc/console/forbidden')) {
      return new ServiceError('svc/console/forbidden', told);
    }
    if (!this.#errors.has('svc/auth/insufficient_scope')) return this.absent();
    if (caller.type !== 'key') return new ServiceError('svc/auth/insufficient_scope', told);
    return this.#lacks(caller, this.#operation.access);
  }

  #lacks(key: KeyCaller, access: Operation['access']): ServiceError {
    const missing = access?.scopes?.filter(scope => !key.scopes.has(scope)) ?? [];
    return new ServiceError('svc/auth/insufficient_scope', {
      message: `The API key lacks the scope ${missing.join(' and ')}.`,
      details: { missingScopes: missing },
    });
  }

  /** Unknown, of another tenant or without a role that answers: one and the same answer. */
  #noSuchUser(): ServiceError {
    const message = 'names nobody who may answer in this project';
    return new ServiceError(this.absent().code, {
      message: `${actingUserPath} ${message}.`,
      details: { issues: [{ path: actingUserPath, message, code: 'reference' }] },
    });
  }
}

const actingUserPath = `/header/${actingUserTitle}`;

/** Whether a user with these roles may answer in threads: threads are assigned to them, and keys act for them. */
export function mayAnswer(access: ProjectAccess): boolean {
  return findRole({ access: grants.writeThreads }, access) !== undefined;
}

const describeSecondFactor =
  'The workspace demands a second factor of its members: set one up for your account, or leave the workspace.';

function describeArchived(what: 'project' | 'workspace'): string {
  return `The ${what} is archived: it can be read, and nothing can be done in it until somebody restores it.`;
}

/** Which roles a user needs, of whom it is known that they have another one. */
function describeRoles({ access }: Operation): string {
  const { studio = [], console = [] } = access ?? {};
  const roles = [
    ...(studio.length === 0 ? [] : [`${studio.join(', ')} in Studio`]),
    ...(console.length === 0 ? [] : [`${console.join(', ')} in the Console`]),
  ];
  return `Your role does not allow this: it takes ${roles.join(', or ')}.`;
}

/** Whether a caller may also do this operation, in a scope that was authorised for another one. A service may do what a key with all scopes may. */
export function admits(
  operation: Operation,
  caller: Caller | ServiceCaller,
  { access }: Pick<ProjectScope, 'access'>,
): boolean {
  switch (caller.type) {
    case 'service':
      return operation.access !== undefined && operation.access.scopes !== null;
    case 'key':
      return admitsKey(operation, caller);
    case 'user':
      return access !== undefined && admitsUser(operation, access);
  }
}

/** Whether the row admits the key, in the key's own project. */
function admitsKey({ access }: Pick<Operation, 'access'>, key: KeyCaller): boolean {
  const needed = access?.scopes ?? null;
  // The wildcard stands for every scope, but does not open what no scope opens.
  if (needed === null) return false;
  return key.scopes.has('*') || needed.every(scope => key.scopes.has(scope));
}

/** Whether the row admits a user with these roles: for what belongs to a workspace, by the role there. */
function admitsUser(operation: Operation, access: ProjectAccess): boolean {
  if (operation.auth !== 'user') return findRole(operation, access) !== undefined;
  return access.workspaceRole !== undefined && admitsStudio(operation, access.workspaceRole);
}

function findRole(
  operation: Pick<Operation, 'access'>,
  { studioRole, consoleRole }: ProjectAccess,
): StudioRole | ConsoleRole | undefined {
  if (studioRole !== undefined && admitsStudio(operation, studioRole)) return studioRole;
  if (consoleRole !== undefined && operation.access?.console.includes(consoleRole)) return consoleRole;
  return undefined;
}

function admitsStudio({ access }: Pick<Operation, 'access'>, role: StudioRole): boolean {
  const admitted = access?.studio ?? [];
  // Owner and admin of the workspace are developers in every project.
  const alsoDeveloper = role === 'owner' || role === 'admin';
  return admitted.includes(role) || (alsoDeveloper && admitted.includes('developer'));
}

/**
 * The only environment whose events the Console stream shows to the caller; undefined: both. A key sees its own. A member sees the
 * whole project, but production only after the e-mail is verified.
 */
export function getShownEnvironment(caller: Caller | ServiceCaller, scope: ProjectScope): string | undefined {
  const limited = caller.type === 'key' || (caller.type === 'user' && !caller.emailVerified);
  return limited ? scope.environmentId : undefined;
}
