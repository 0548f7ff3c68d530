/**
 * What has to be said of an operation by hand, so that the rest can be derived from its row: a request of it that succeeds, and
 * how it comes to refuse with those codes that its row alone does not explain. A scenario that is missing, or that does not
 * provoke one of the row's codes, does not compile.
 */
import type { ErrorCode } from '../../protocol/errors.ts';
import type { Operation } from '../../protocol/operation.ts';
import type { OperationId, Operations } from '../../protocol/operations/table.ts';
import type { Asked, Client, Reply } from '../node/client.ts';
import type { TenantEnvironment, Role, ContractFixture } from './contract-fixture.ts';

/** Met by every operation in the same way: see faults.test.ts and test/gateway/quota/rest.test.ts. */
export type AlwaysCode = 'svc/rate_limit/exceeded' | 'svc/runtime/internal_error' | 'svc/runtime/unavailable';

/** Follow from what a row says of its request. */
type FormCode =
  | 'svc/validation/invalid_request'
  | 'svc/runtime/invalid_request'
  | 'svc/runtime/idempotency_conflict'
  | 'svc/runtime/precondition_failed'
  | 'svc/runtime/missing_idempotency_key';

/** Follow from what a row says of who may call it. */
type CallerCode =
  | 'svc/auth/missing_credentials'
  | 'svc/auth/expired_token'
  | 'svc/auth/invalid_token'
  | 'svc/auth/invalid_api_key'
  | 'svc/auth/insufficient_scope'
  | 'svc/console/forbidden'
  | 'svc/runtime/not_found'
  | 'svc/console/not_found';

/** The codes of a row that are provoked without its scenario (refusals.ts). */
export type DerivedCode<O extends Operation> =
  | AlwaysCode
  | FormCode
  | (O['auth'] extends 'none' | 'refresh' ? never : CallerCode)
  // Where keys are let in, the environment alone decides; elsewhere the operation itself does.
  | (O extends { readonly access: { readonly scopes: readonly string[] } }
      ? 'svc/auth/email_not_verified'
      : never);

/** A request that is refused, or an answer that was got in another way. */
export interface Refused {
  readonly by: Client;
  readonly asked: Asked;
}
export type Provoke = (fixture: ContractFixture) => Promise<Refused | Reply<unknown>>;

/** Sends the request without a credential. */
export const anonymously =
  (asked: Asked): Provoke =>
  ({ anonymous }) =>
    Promise.resolve({ by: anonymous, asked });

/** A request in the environment's own project, and how it is refused for another reason than who makes it. */
export interface OwnProjectCase {
  readonly request: (env: TenantEnvironment) => Asked;
  readonly code: ErrorCode;
  /** And to those whose e-mail is not verified. */
  readonly unverified: ErrorCode;
}

export interface Scenario<O extends Operation = Operation> {
  /** Makes what the operation needs in the environment; the request succeeds there, and no two are the same where it writes. */
  readonly request: (env: TenantEnvironment) => Asked | Promise<Asked>;
  /** Other requests that succeed, for what one request cannot show. */
  readonly variants?: readonly ((env: TenantEnvironment) => Asked | Promise<Asked>)[];
  /** Who sends it; default: the environment's key where keys may, else its person. */
  readonly by?: (env: TenantEnvironment) => Client | Promise<Client>;
  /** For a request that is made elsewhere than in the environment's own project: one that is there. */
  readonly inOwnProject?: OwnProjectCase;
  /** Only for people whose e-mail is verified, and for the keys that they have made. */
  readonly verifiedOnly?: true;
  /** The request is about the account of whoever sends it (`by`), and nobody else's: roles make no difference. */
  readonly ownAccount?: true;
  /** Roles that the row admits for other requests than this one: it is theirs to refuse with the row's 403. */
  readonly refuses?: readonly Role[];
  /** Those of the row that are derived may stand here, too, where this operation comes to them in a way of its own. */
  readonly refusals: { readonly [Code in Exclude<O['errors'][number], DerivedCode<O>>]: Provoke } & {
    readonly [Code in Extract<O['errors'][number], DerivedCode<O>>]?: Provoke;
  };
}

export type ScenariosOf<Table extends Readonly<Record<string, Operation>>> = {
  readonly [Id in keyof Table]: Scenario<Table[Id]>;
};

/** One for each row of the operation table. */
export type Scenarios = ScenariosOf<Operations>;

/** The same without what only the compiler needs to know. */
export interface AnyScenario {
  readonly request: Scenario['request'];
  readonly variants?: Scenario['variants'];
  readonly by?: Scenario['by'];
  readonly inOwnProject?: Scenario['inOwnProject'];
  readonly verifiedOnly?: Scenario['verifiedOnly'];
  readonly ownAccount?: Scenario['ownAccount'];
  readonly refuses?: Scenario['refuses'];
  readonly refusals: Readonly<Partial<Record<ErrorCode, Provoke>>>;
}

/** Who sends the operation's request where the scenario does not say. */
export function usualCaller(operation: Operation, { key, person, fixture }: TenantEnvironment): Client {
  if (operation.auth === 'none' || operation.auth === 'refresh') return fixture.anonymous;
  if (operation.auth === 'user') return person;
  return operation.access?.scopes ? key : person;
}

export type { OperationId };
