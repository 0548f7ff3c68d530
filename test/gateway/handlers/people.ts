/** People on the shared node: each has a browser, a mailbox and a workspace, and may join the workspace of another. */
import { randomBytes } from 'node:crypto';
import type { OperationId } from '../../../protocol/operations/table.ts';
import { type Asked, Client, type Line, type Reply } from '../../node/client.ts';
import { type MailedPage, readMailedToken } from '../../support/mailbox.ts';
import type { SharedSkein } from '../../support/skein.ts';
import { showCode } from '../../support/totp.ts';

export const password = 'correct horse battery';
export const otherPassword = 'staple of another sort';

const refuse = (status: number, code: string) => ({ status, body: { error: `svc/${code}` } });
export const absent = refuse(404, 'runtime/not_found');
export const denied = refuse(403, 'auth/insufficient_scope');
export const conflict = refuse(409, 'runtime/conflict');
export const invalidToken = refuse(401, 'auth/invalid_token');
export const wrongPassword = refuse(401, 'auth/invalid_credentials');
export const unverified = refuse(403, 'auth/email_not_verified');
export const tooMany = refuse(429, 'rate_limit/exceeded');

export type Json = Readonly<Record<string, unknown>>;

export function newAddress(): string {
  return `guest-${randomBytes(6).toString('hex')}@example.com`;
}

/** Keeps the refresh cookie and the access token that it gets. Every answer is held against the operation table. */
export class Browser {
  readonly #line: Line;
  token: string | undefined;
  /** `name=value`, as in the header Cookie. */
  cookie: string | undefined;

  constructor(line: Line) {
    this.#line = line;
  }

  async ask<T = Record<string, unknown>>(id: OperationId, asked: Asked = {}): Promise<Reply<T>> {
    const cookie = this.cookie === undefined ? {} : { cookie: this.cookie };
    const headers = { ...cookie, ...asked.headers };
    const reply = await new Client(this.#line, this.token).ask<T>(id, { ...asked, headers });
    const [setCookie] = [reply.headers['set-cookie'] ?? []].flat();
    if (setCookie !== undefined) this.cookie = setCookie.split(';')[0];
    const { accessToken } = (reply.body ?? {}) as { accessToken?: string };
    if (accessToken !== undefined) this.token = accessToken;
    return reply;
  }

  /** The body of an answer that must be a success. */
  async get<T = Record<string, unknown>>(id: OperationId, asked: Asked = {}): Promise<T> {
    const { status, body, text } = await this.ask<T>(id, asked);
    if (status >= 300) throw new Error(`${id} answered ${status} ${text}`);
    return body;
  }

  /** The items of the first page of a list. */
  async list<T = Json>(id: OperationId, asked: Asked = {}): Promise<readonly T[]> {
    const { data } = await this.get<{ data: readonly T[] }>(id, {
      ...asked,
      query: { limit: 100, ...asked.query },
    });
    return data;
  }

  logIn(email: string, secret = password, headers: Asked['headers'] = {}): Promise<Reply<Json>> {
    return this.ask('login', { body: { email, password: secret }, headers });
  }
}

export interface Person {
  readonly browser: Browser;
  readonly email: string;
  readonly userId: string;
  readonly workspaceId: string;
  readonly projectId: string;
}

export interface ToldEvent {
  readonly eventName: string;
  readonly data: Readonly<Record<string, Json>>;
}

/** Statuses in ascending order, for requests that race. */
export const sortStatuses = (replies: readonly Reply<unknown>[]): number[] =>
  replies.map(({ status }) => status).sort();

export function createPeople({ line, log, database }: Pick<SharedSkein, 'line' | 'log' | 'database'>) {
  const browser = (): Browser => new Browser(line);
  const mailedToken = (email: string, page: MailedPage): Promise<string> => readMailedToken(log, email, page);

  async function signUp(email = newAddress()): Promise<Person> {
    const own = browser();
    await own.get('signUp', { body: { email, password } });
    const me = await own.get<Pick<Person, 'userId' | 'workspaceId' | 'projectId'>>('me');
    return { ...me, browser: own, email };
  }

  /** Signs up and follows the mailed link. */
  async function verified(): Promise<Person> {
    const person = await signUp();
    await verify(person);
    return person;
  }

  async function verify({ email }: Pick<Person, 'email'>): Promise<void> {
    await browser().get('verifyEmail', { body: { token: await mailedToken(email, 'verify') } });
  }

  /** Another person with a role in the owner's workspace. */
  async function join(owner: Person, role: 'owner' | 'admin' | 'viewer', who = signUp()): Promise<Person> {
    const { workspaceId, projectId } = owner;
    const person = await who;
    await database.query(
      `insert into workspace_members (workspace_id, user_id, role, created_at, updated_at) values ($1, $2, $3, now(), now())`,
      [workspaceId, person.userId, role],
    );
    return { ...person, workspaceId, projectId };
  }

  const invite = ({ browser: by, workspaceId }: Person, email: string, roles: Json = {}) =>
    by.ask('createInvitation', { params: { workspaceId }, body: { email, ...roles } });

  /** Invites and returns the mailed token. */
  async function invited(by: Person, email: string, roles: Json = {}): Promise<string> {
    const { status, text } = await invite(by, email, roles);
    if (status !== 201) throw new Error(`createInvitation answered ${status} ${text}`);
    return mailedToken(email, 'join');
  }

  const accept = (by: Browser, token: string, secret?: string) =>
    by.ask('acceptInvitation', { body: { token, ...(secret !== undefined && { password: secret }) } });

  /** Events of the project, oldest first. */
  async function events({ projectId }: Pick<Person, 'projectId'>): Promise<ToldEvent[]> {
    const rows = await database.query<{ body: string }>(
      'select body from events where project_id = $1 order by seq',
      [projectId],
    );
    return rows.map(({ body }) => JSON.parse(body) as ToldEvent);
  }

  /** Actions of the workspace's audit log, oldest first. */
  async function acts({ browser: by, workspaceId }: Person, query: Asked['query'] = {}) {
    const found = await by.list<Json & { action: string }>('listAuditLogs', {
      query: { workspaceId, ...query },
    });
    return [...found].reverse();
  }

  async function countMails(kind: string, recipient: string): Promise<number> {
    const rows = await database.query('select from mails where kind = $1 and lower(recipient) = lower($2)', [
      kind,
      recipient,
    ]);
    return rows.length;
  }

  /** Sets up an authenticator app. Returns its secret and the recovery codes. */
  async function addSecondFactor({ browser: by, userId }: Person) {
    const { secret } = await by.get<{ secret: string }>('enrolSecondFactor', { body: { password } });
    const code = await nextCode(userId, secret);
    const { recoveryCodes } = await by.get<{ recoveryCodes: readonly string[] }>('confirmSecondFactor', {
      body: { code },
    });
    return { secret, recoveryCodes };
  }

  /** A code that is good now: each works once in its 30 seconds, so the last use is put back in time. */
  async function nextCode(userId: string, secret: string): Promise<string> {
    await database.query('update second_factors set last_step = 0 where user_id = $1', [userId]);
    return showCode(secret, Date.now());
  }

  return {
    browser,
    mailedToken,
    signUp,
    verified,
    verify,
    join,
    invite,
    invited,
    accept,
    events,
    acts,
    countMails,
    addSecondFactor,
    nextCode,
  };
}
