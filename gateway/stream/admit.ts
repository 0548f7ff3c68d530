/**
 * Who may open a Console stream (decisions sections 3 and 8), by the row of the operation table: a Console member, by access
 * token or by a ticket made for that project; or an API key of the project with `threads:read` and `messages:read`, which then
 * sees its environment alone. Refusals are answered before the upgrade, as any operation answers them; a browser, which cannot
 * read such an answer, meets the same refusal when it asks for its next ticket.
 */
import { ServiceError } from '../../protocol/errors.ts';
import { operations } from '../../protocol/operations/table.ts';
import type { Clock } from '../../runtime/clock.ts';
import { memberName, type Fallen, type Standing } from '../../storage/tenancy/standing.ts';
import type { StreamTickets } from '../../storage/tenancy/tickets.ts';
import type { AccessTokens } from '../auth/access-tokens.ts';
import type { Authenticator } from '../auth/authenticate.ts';
import type { Origin } from '../auth/origin.ts';
import type { HttpRequest } from '../http/message.ts';
import { Authority, shownEnvironment, type Tenancy } from '../rest/authorise.ts';
import type { Caller, KeyCaller, UserCaller } from '../rest/handler.ts';
import { PartsReader } from '../rest/parts.ts';
import { exceeded, type Quotas } from '../rest/quota.ts';
import type { Admission } from './admission.ts';

export interface AdmitOptions {
  readonly authenticator: Pick<Authenticator, 'authenticate'>;
  readonly tokens: Pick<AccessTokens, 'verify'>;
  readonly access: Tenancy;
  readonly tickets: Pick<StreamTickets, 'redeem'>;
  /** storage/tenancy/standing.ts bound to a database. */
  readonly fallen: (asked: Standing, now: number) => Promise<Fallen>;
  readonly clock: Clock;
  /** Undefined: nothing is limited. */
  readonly quotas?: Pick<Quotas, 'stranger' | 'forgive'> | undefined;
}

const parts = new PartsReader(operations.openStream);

/**
 * Rejects with a `ServiceError`: 401, 422, 429, `svc/console/forbidden`, `svc/console/not_found`. A credential that is not known
 * here is charged to its sender's address before it is looked up, and given back when it is good.
 */
export async function admit(options: AdmitOptions, request: HttpRequest): Promise<Admission> {
  const { params, query } = parts.read(request);
  const projectId = String(params?.['projectId']);
  const authorization = request.header('authorization');
  const visitor = new Visitor(request.address, options.quotas);
  if (authorization === '') return byTicket(options, projectId, query?.['ticket'], visitor);
  const caller = await options.authenticator.authenticate(authorization, visitor);
  visitor.forgive();
  const environmentId = await shownTo(options, caller, projectId);
  return caller.type === 'key'
    ? byKey(caller, environmentId)
    : byToken(options, caller, projectId, environmentId, authorization);
}

/** The environment that the caller is limited to, if any; rejects when they may not see the stream. */
async function shownTo(
  { access }: AdmitOptions,
  caller: Caller,
  projectId: string,
): Promise<string | undefined> {
  const authority = new Authority(operations.openStream, access);
  authority.admit(caller);
  const scope = await authority.scope(caller, projectId, undefined);
  if (scope === undefined) throw authority.absent();
  return shownEnvironment(caller, scope);
}

function byKey({ projectId, apiKeyId }: KeyCaller, environmentId: string | undefined): Admission {
  // Its expiry is the sweep's to find, with its revocation.
  return { projectId, environmentId, apiKeyId, userId: undefined, sessionId: undefined, expiresAt: Infinity };
}

async function byToken(
  options: AdmitOptions,
  { userId, sessionId }: UserCaller,
  projectId: string,
  environmentId: string | undefined,
  authorization: string,
): Promise<Admission> {
  const { expiresAt } = await options.tokens.verify(
    authorization.slice(authorization.indexOf(' ') + 1).trim(),
  );
  return { projectId, userId, sessionId, expiresAt, environmentId, apiKeyId: undefined };
}

/** A socket opened by ticket lives as long as the session behind it: the access token was spent on the ticket. */
async function byTicket(
  options: AdmitOptions,
  projectId: string,
  ticket: unknown,
  visitor: Visitor,
): Promise<Admission> {
  if (typeof ticket !== 'string') throw new ServiceError('svc/auth/missing_credentials');
  await visitor.toll();
  const now = options.clock.now();
  const holder = await options.tickets.redeem(ticket, projectId, now);
  if (holder === undefined) throw new ServiceError('svc/auth/invalid_token');
  visitor.forgive();
  const { userId, sessionId, email, emailVerified } = holder;
  const members = [{ projectId, userId }];
  const gone = await options.fallen({ sessionIds: [sessionId], apiKeyIds: [], members }, now);
  if (gone.has(sessionId)) throw new ServiceError('svc/auth/invalid_token');
  if (gone.has(memberName(projectId, userId))) throw new ServiceError('svc/console/forbidden');
  const caller: UserCaller = { type: 'user', userId, sessionId, email, emailVerified };
  const environmentId = await shownTo(options, caller, projectId);
  return { projectId, userId, sessionId, expiresAt: Infinity, environmentId, apiKeyId: undefined };
}

/** Whoever asks for a stream, until it is known who it is. */
class Visitor implements Origin {
  readonly address: string;
  readonly #quotas: AdmitOptions['quotas'];
  #tolled = false;

  constructor(address: string, quotas: AdmitOptions['quotas']) {
    this.address = address;
    this.#quotas = quotas;
  }

  async toll(): Promise<void> {
    const quota = await this.#quotas?.stranger(this.address);
    if (quota?.allowed === false) throw exceeded(quota);
    this.#tolled = quota !== undefined;
  }

  forgive(): void {
    if (this.#tolled) this.#quotas?.forgive(this.address);
    this.#tolled = false;
  }
}
