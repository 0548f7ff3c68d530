/** A small operation table and everything that is needed to serve it, for tests of REST and of the pipeline. */
import type { Test } from 'tap';
import Type from 'typebox';
import type { Caller, Handlers, KeyCaller, UserCaller } from '../../../gateway/pipeline/handler.ts';
import { Idempotency, type IdempotencyOptions } from '../../../gateway/pipeline/idempotency.ts';
import { serveOperations, type RestServices } from '../../../gateway/rest/operations.ts';
import { ServiceError, type ErrorCode } from '../../../protocol/errors.ts';
import type { Operation, Scope } from '../../../protocol/operation.ts';
import { id } from '../../../protocol/resources/fields.ts';
import { systemClock } from '../../../runtime/time/clock.ts';
import { KeyRing } from '../../../storage/secrets/key-ring.ts';
import { KeyedHash } from '../../../storage/secrets/keyed-hash.ts';
import type { ProjectAccess } from '../../../storage/tenancy/access-cache.ts';
import { freshKey } from '../../support/accounts.ts';
import { docsUrl, startServer } from '../http/http-fixture.ts';

const errors: ErrorCode[] = [
  'svc/auth/insufficient_scope',
  'svc/runtime/not_found',
  'svc/validation/invalid_request',
];
const anyCredential = {
  scopes: ['messages:write'],
  studio: ['owner', 'admin', 'developer'],
  console: ['agent'],
} as const;
const note = Type.Object(
  {
    projectId: id('project'),
    environmentId: Type.Optional(id('environment')),
    text: Type.String({ minLength: 1, maxLength: 20 }),
    metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  { additionalProperties: false },
);

/** Rows as the real ones are written, one of each sort that the pipeline distinguishes. */
export const table = {
  createNote: {
    method: 'POST',
    path: '/notes',
    tag: 'Test',
    summary: 'A write in a project',
    auth: 'project',
    access: anyCredential,
    body: note,
    success: { status: 201, body: note },
    errors,
    rate: 'write',
    idempotency: 'accepted',
  },
  createSecret: {
    method: 'POST',
    path: '/secrets',
    tag: 'Test',
    summary: 'A write whose answer is a secret',
    auth: 'project',
    access: anyCredential,
    body: note,
    success: { status: 201, body: note },
    secret: true,
    errors,
    rate: 'none',
    idempotency: 'accepted',
  },
  createMessage: {
    method: 'POST',
    path: '/threads/{threadId}/messages',
    tag: 'Test',
    summary: 'A write of an actor',
    auth: 'project',
    access: anyCredential,
    params: Type.Object({ threadId: id('thread') }),
    body: note,
    query: Type.Object({ dryRun: Type.Optional(Type.Boolean()) }),
    success: { status: 201, body: note },
    errors,
    rate: 'message',
    idempotency: 'required',
  },
  rotateSecret: {
    method: 'POST',
    path: '/secrets/{noteId}/rotate',
    tag: 'Test',
    summary: 'A secret known by its id alone',
    auth: 'project',
    access: anyCredential,
    params: Type.Object({ noteId: id('note') }),
    query: Type.Object({ projectId: Type.Optional(id('project')) }),
    success: { status: 200, body: note },
    secret: true,
    errors,
    rate: 'none',
    idempotency: 'accepted',
  },
  getNote: {
    method: 'GET',
    path: '/notes/{noteId}',
    tag: 'Test',
    summary: 'A read of one thing',
    auth: 'project',
    access: anyCredential,
    params: Type.Object({ noteId: id('note') }),
    query: Type.Object({
      projectId: Type.Optional(id('project')),
      environmentId: Type.Optional(id('environment')),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
    }),
    success: { status: 200, body: note },
    errors,
    rate: 'read',
    idempotency: 'none',
  },
  listNotes: {
    method: 'GET',
    path: '/notes',
    tag: 'Test',
    summary: 'A list, whose project has to be named',
    auth: 'project',
    access: anyCredential,
    query: Type.Object({ projectId: id('project') }),
    success: { status: 200, body: note },
    errors,
    rate: 'read',
    idempotency: 'none',
  },
  createWorkspace: {
    method: 'POST',
    path: '/workspaces',
    tag: 'Test',
    summary: 'For users, without a project',
    auth: 'user',
    success: { status: 201, body: null },
    errors: ['svc/auth/invalid_token'],
    rate: 'write',
    idempotency: 'accepted',
  },
  administer: {
    method: 'PUT',
    path: '/workspaces/{workspaceId}',
    tag: 'Test',
    summary: 'For some users of a workspace',
    auth: 'user',
    access: { scopes: null, studio: ['owner', 'admin'], console: [] },
    params: Type.Object({ workspaceId: id('workspace') }),
    success: { status: 204, body: null },
    errors,
    rate: 'write',
    idempotency: 'none',
  },
  listMembers: {
    method: 'GET',
    path: '/console/{projectId}/members',
    tag: 'Test',
    summary: 'With errors of its own',
    auth: 'project',
    access: { scopes: null, studio: [], console: ['project_owner'] },
    params: Type.Object({ projectId: id('project') }),
    success: { status: 200, body: note },
    errors: ['svc/auth/insufficient_scope', 'svc/console/forbidden', 'svc/console/not_found'],
    rate: 'read',
    idempotency: 'none',
  },
  publicNote: {
    method: 'GET',
    path: '/public',
    root: true,
    tag: 'Test',
    summary: 'For all, at the root too',
    auth: 'none',
    success: { status: 200, body: note },
    errors: [],
    rate: 'auth',
    idempotency: 'none',
  },
  createPublicNote: {
    method: 'POST',
    path: '/public',
    tag: 'Test',
    summary: 'A write of anybody',
    auth: 'none',
    body: note,
    success: { status: 201, body: note },
    errors: [],
    rate: 'auth',
    idempotency: 'accepted',
  },
  openStream: {
    method: 'GET',
    path: '/stream',
    tag: 'Test',
    summary: 'A websocket: not for handlers',
    auth: 'stream',
    access: anyCredential,
    success: { status: 101, body: null },
    errors: [],
    rate: 'read',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;

export const projectId = 'prj_one';
export const otherProjectId = 'prj_two';
export const foreignProjectId = 'prj_foreign';
export const sandbox = 'env_sandbox';
export const production = 'env_production';

export function key(...scopes: Scope[]): KeyCaller {
  return {
    type: 'key',
    apiKeyId: 'key_1',
    firstKeyId: 'key_1',
    projectId,
    environmentId: sandbox,
    environmentKind: 'sandbox',
    scopes: new Set(scopes),
    createdByUserId: 'usr_maker',
  };
}

export function user(userId: string, emailVerified = true): UserCaller {
  const email = `${userId}@example.com`;
  return { type: 'user', userId, sessionId: 'ses_1', email, emailVerified, hasSecondFactor: false };
}

/** By the word after Bearer. */
const callers: Readonly<Record<string, Caller>> = {
  writer: key('messages:write'),
  everything: key('*'),
  twin: { ...key('messages:write'), apiKeyId: 'key_2', firstKeyId: 'key_2' },
  reader: key('messages:read'),
  owner: user('usr_owner'),
  developer: user('usr_developer'),
  viewer: user('usr_viewer'),
  agent: user('usr_agent'),
  boss: user('usr_boss'),
  unverified: user('usr_developer', false),
  nobody: user('usr_nobody'),
};

const environments = [
  { environmentId: sandbox, kind: 'sandbox' },
  { environmentId: production, kind: 'production' },
] as const;
type RolesThere = Omit<ProjectAccess, 'projectId' | 'workspaceId' | 'environments'>;
const none = {
  workspaceRole: undefined,
  projectRole: undefined,
  studioRole: undefined,
  consoleRole: undefined,
};
const roles: Readonly<Record<string, RolesThere>> = {
  usr_owner: { ...none, workspaceRole: 'owner', studioRole: 'owner' },
  usr_developer: { ...none, projectRole: 'developer', studioRole: 'developer' },
  usr_viewer: { ...none, workspaceRole: 'viewer', studioRole: 'viewer' },
  usr_agent: { ...none, consoleRole: 'agent' },
  usr_boss: { ...none, consoleRole: 'project_owner' },
};

/** The users above are somebody in two projects of one workspace, and nobody anywhere else. */
export const tenancy: RestServices['tenancy'] = {
  project: (userId, asked) => {
    const role = roles[userId];
    if (role === undefined || (asked !== projectId && asked !== otherProjectId)) return undefined;
    const access = { projectId: asked, workspaceId: 'ws_one', ...role, environments };
    return asked === projectId ? access : Promise.resolve(access);
  },
  workspace: (userId, workspaceId) => {
    const { studioRole } = (workspaceId === 'ws_one' ? roles[userId] : undefined) ?? none;
    // Whoever develops in a project is at least a viewer of its workspace.
    const role = studioRole === 'developer' ? 'viewer' : studioRole;
    return Promise.resolve(role === undefined ? undefined : { role, isArchived: false });
  },
};

/** For tests that send no key: whoever touches it has taken one for another thing. */
export const untouched: IdempotencyOptions['keys'] = {
  find: () => Promise.reject(new Error('no key was sent')),
  keepRefusal: () => Promise.reject(new Error('no key was sent')),
  dropExpired: () => Promise.reject(new Error('no key was sent')),
};
export const sealer = {
  seal: (context: string, text: string) =>
    Promise.resolve(Buffer.from(`${context} ${text}`).toString('base64')),
  open: (context: string, sealed: string) => {
    const text = Buffer.from(sealed, 'base64').toString();
    return text.startsWith(`${context} `)
      ? Promise.resolve(text.slice(context.length + 1))
      : Promise.reject(new Error('sealed for another place'));
  },
};

export const hash = new KeyedHash(new KeyRing(freshKey()));

export type TestHandlers = Handlers<typeof table>;

/** Serves the table; handlers that are not given answer with what they were given. */
export async function startRest(
  t: Test,
  given: Partial<TestHandlers> = {},
  parts: Partial<RestServices> & { readonly keys?: IdempotencyOptions['keys'] } = {},
) {
  const { keys = untouched, ...services } = parts;
  const echo = (call: { body?: unknown; query?: unknown; params?: unknown; project?: unknown }) => ({
    body: { params: call.params, query: call.query, body: call.body, project: call.project },
  });
  const handlers: TestHandlers = {
    createNote: echo,
    createSecret: echo,
    rotateSecret: echo,
    createMessage: echo,
    getNote: echo,
    listNotes: echo,
    createWorkspace: () => ({}),
    administer: () => ({}),
    listMembers: echo,
    publicNote: echo,
    createPublicNote: echo,
    ...given,
  };
  const started = await startServer(t, server =>
    serveOperations(server, table, handlers, {
      authenticator: {
        authenticate(authorization) {
          const name = /^Bearer (\w+)$/.exec(authorization)?.[1];
          if (name === undefined) throw new ServiceError('svc/auth/missing_credentials');
          const caller = callers[name];
          if (caller === undefined) return Promise.reject(new ServiceError('svc/auth/invalid_token'));
          return name === 'developer' ? Promise.resolve(caller) : caller;
        },
      },
      tenancy,
      idempotency: new Idempotency({
        keys,
        vault: sealer,
        hash,
        log: { debug() {}, info() {}, warn() {}, error() {} },
      }),
      clock: systemClock,
      log: { debug() {}, info() {}, warn() {}, error() {} },
      docsUrl,
      ...services,
    }),
  );

  /** Sends a request as JSON and gives the status, the headers and the parsed body. */
  async function ask(
    method: string,
    path: string,
    options: { as?: string; body?: unknown; text?: string | Buffer; headers?: Record<string, string> } = {},
  ) {
    const content = options.text ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    const answer = await fetch(started.url + path, {
      method,
      headers: {
        ...(options.as === undefined ? {} : { Authorization: `Bearer ${options.as}` }),
        ...(content === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...options.headers,
      },
      ...(content === undefined ? {} : { body: content }),
    });
    const text = await answer.text();
    const json = (text === '' ? undefined : JSON.parse(text)) as Reply | undefined;
    return { status: answer.status, headers: answer.headers, text, json };
  }
  return { ...started, ask };
}

/** What tests look for in bodies. */
export interface Reply {
  readonly error?: string;
  readonly message?: string;
  readonly requestId?: string;
  readonly details?: { readonly issues?: readonly { readonly path: string; readonly code: string }[] };
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly project?: unknown;
  readonly n?: number;
}
