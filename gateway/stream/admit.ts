/**
 * Decides who may open a Console stream (docs/contract-decisions.md, "Who may do what"): a Console member, by access token or by a
 * ticket for the project; or an API key of the project with `threads:read` and `messages:read`, which sees only its environment.
 * Refusals are answered before the upgrade, as by any operation. A browser cannot read such an answer, but gets the same refusal when
 * it asks for its next ticket.
 */
import { ServiceError } from '../../protocol/errors.ts';
import { operations } from '../../protocol/operations/index.ts';
import type { Clock } from '../../runtime/time/index.ts';
import {
  type CheckedCredentials,
  type RevokedCredentials,
  type StreamTickets,
  toMemberKey,
  toRolesKey,
} from '../../storage/tenancy/index.ts';
import type { AccessTokens, Authenticator, RequestSource } from '../auth/index.ts';
import type { HttpRequest } from '../http/index.ts';
import {
  AnonymousCharge,
  Authority,
  getEventView,
  getShownEnvironment,
  PartsReader,
  quotaExceeded,
  type Caller,
  type KeyCaller,
  type RateLimiter,
  type Tenancy,
  type UserCaller,
} from '../pipeline/index.ts';
import type { Admission } from './admission.ts';

export interface AdmitOptions {
  readonly authenticator: Pick<Authenticator, 'authenticate'>;
  readonly tokens: Pick<AccessTokens, 'verify'>;
  readonly access: Tenancy;
  readonly tickets: Pick<StreamTickets, 'redeem'>;
  /** storage/tenancy/credential-check.ts bound to a database. */
  readonly findRevokedCredentials: (asked: CheckedCredentials, now: number) => Promise<RevokedCredentials>;
  readonly clock: Clock;
  /** Undefined: nothing is limited. */
  readonly limiter?: Pick<RateLimiter, 'chargeAnonymous' | 'refundAnonymous'> | undefined;
}

const parts = new PartsReader(operations.openStream);

/**
 * Rejects with a `ServiceError`: 401, 422, 429, `svc/console/forbidden`, `svc/console/not_found`. A credential that is not cached is
 * charged to the sender's address before it is looked up, and refunded when it is valid.
 */
export async function admit(options: AdmitOptions, request: HttpRequest): Promise<Admission> {
  const { params, query } = parts.read(request);
  const projectId = String(params?.['projectId']);
  const authorization = request.header('authorization');
  const visitor = new Visitor(request.address, options.limiter);
  if (authorization === '') return admitTicket(options, projectId, query?.['ticket'], visitor);
  const caller = await options.authenticator.authenticate(authorization, visitor);
  visitor.refund();
  const seen = await findSeen(options, caller, projectId);
  return caller.type === 'key' ? admitKey(caller, seen) : admitToken(options, caller, seen, authorization);
}

/** What the caller sees of the project. */
type Seen = Pick<Admission, 'projectId' | 'environmentId' | 'view' | 'roles'>;

/** Rejects when the caller may not see the stream. */
async function findSeen({ access }: AdmitOptions, caller: Caller, projectId: string): Promise<Seen> {
  const authority = new Authority(operations.openStream, access);
  authority.admit(caller);
  const scope = await authority.scope(caller, projectId, undefined);
  if (scope === undefined) throw authority.absent();
  return {
    projectId,
    environmentId: getShownEnvironment(caller, scope),
    view: getEventView(caller, scope),
    roles: scope.access && toRolesKey(scope.access),
  };
}

function admitKey({ apiKeyId }: KeyCaller, seen: Seen): Admission {
  // The connection reaper finds its expiry and its revocation.
  return { ...seen, apiKeyId, userId: undefined, sessionId: undefined, expiresAt: Infinity };
}

async function admitToken(
  options: AdmitOptions,
  { userId, sessionId }: UserCaller,
  seen: Seen,
  authorization: string,
): Promise<Admission> {
  const { expiresAt } = await options.tokens.verify(
    authorization.slice(authorization.indexOf(' ') + 1).trim(),
  );
  return { ...seen, userId, sessionId, expiresAt, apiKeyId: undefined };
}

/** A socket that was opened by a ticket lives as long as the session behind it. */
async function admitTicket(
  options: AdmitOptions,
  projectId: string,
  ticket: unknown,
  visitor: Visitor,
): Promise<Admission> {
  if (typeof ticket !== 'string') throw new ServiceError('svc/auth/missing_credentials');
  await visitor.chargeAnonymous();
  const now = options.clock.now();
  const holder = await options.tickets.redeem(ticket, projectId, now);
  if (holder === undefined) throw new ServiceError('svc/auth/invalid_token');
  visitor.refund();
  const { userId, sessionId, email, emailVerified, hasSecondFactor } = holder;
  // The roles are read below.
  const members = [{ projectId, userId, roles: '' }];
  const gone = await options.findRevokedCredentials({ sessionIds: [sessionId], apiKeyIds: [], members }, now);
  if (gone.has(sessionId)) throw new ServiceError('svc/auth/invalid_token');
  if (gone.has(toMemberKey(projectId, userId))) throw new ServiceError('svc/console/forbidden');
  // Whether they must verify their address first was asked when they took the ticket.
  const caller: UserCaller = { type: 'user', userId, sessionId, email, emailVerified, hasSecondFactor };
  const seen = await findSeen(options, caller, projectId);
  return { ...seen, userId, sessionId, expiresAt: Infinity, apiKeyId: undefined };
}

/** The client, until it is authenticated. */
class Visitor implements RequestSource {
  readonly address: string;
  readonly #charge: AnonymousCharge | undefined;

  constructor(address: string, limiter: AdmitOptions['limiter']) {
    this.address = address;
    this.#charge = limiter && new AnonymousCharge(limiter, address);
  }

  async chargeAnonymous(): Promise<void> {
    const quota = await this.#charge?.take();
    if (quota?.allowed === false) throw quotaExceeded(quota);
  }

  refund(): void {
    this.#charge?.refund();
  }
}
