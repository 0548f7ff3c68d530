/**
 * What the contract tests cover, counted from the operation table: each of them holds what it did to its number here, and
 * coverage.test.ts holds docs/develop/contract.md to them all. `npm run contract` prints them.
 */
import type { ErrorCode } from '../../protocol/errors.ts';
import type { Resource } from '../../protocol/ids.ts';
import type { Operation } from '../../protocol/operation.ts';
import { operations, type OperationId } from '../../protocol/operations/table.ts';
import { isFresh } from '../support/fuzz.ts';
import { getIdFields } from './id-fields.ts';
import { roles } from './contract-fixture.ts';

const all = Object.entries(operations) as [OperationId, Operation][];

/** May happen to every operation alike: provoked in faults.test.ts. */
export const everywhere: readonly ErrorCode[] = [
  'svc/rate_limit/exceeded',
  'svc/runtime/internal_error',
  'svc/runtime/unavailable',
];

/** Errors that the rows declare, each for itself. */
export function declaredErrors(): number {
  return all.flatMap(([, { errors }]) => errors.filter(code => !everywhere.includes(code))).length;
}

/** Rows that want to know who calls. */
export const knowing = all.filter(([, { auth }]) => auth !== 'none' && auth !== 'refresh');

/** What is no environment's is asked for in one of them alone. */
export const isInEnvironment = (auth: Operation['auth']): boolean => auth !== 'user' && auth !== 'any';

/** Who asks for those rows, in the sandbox, and in production where it is an environment's: keys by their scopes, people by their role. */
export function callers(): number {
  const ofRow = ({ access, auth }: Operation): number => {
    const scopes = access?.scopes ?? null;
    // Where keys are let in: one with every scope, one with those of the row, and one without each of these.
    const keys = scopes === null ? 1 : 2 + scopes.length;
    return (keys + roles.length) * (isInEnvironment(auth) ? 2 : 1);
  };
  return knowing.reduce((sum, [, operation]) => sum + ofRow(operation), 0);
}

/** Rows whose requests name what belongs to somebody. */
export const tenantRows = all.filter(
  ([, { auth }]) => auth === 'project' || auth === 'user' || auth === 'stream',
);

/** One project, one workspace, one set of people; keys and whatever is the project's are no environment's, nor are the acts on these. */
export const sharedByEnvironments: readonly Resource[] = [
  ...([
    'project',
    'workspace',
    'user',
    'apiKey',
    'invitation',
    'partnerApp',
    'cannedReply',
    'audit',
    'request',
  ] as const),
];

/** Places of requests that are given another's id: another tenant's by a key and by a user, the other environment's by a key of each. */
export function foreignIds(): number {
  const places = (ofKeys: boolean, shared: readonly Resource[]): number =>
    tenantRows
      .filter(([, { access }]) => !ofKeys || Boolean(access?.scopes))
      .flatMap(([, operation]) => getIdFields(operation))
      .filter(({ resource }) => !shared.includes(resource)).length;
  return places(true, []) + places(false, []) + 2 * places(true, sharedByEnvironments);
}

/** Fuzzed requests of each operation, at least: in `npm test` always the same ones, in `npm run fuzz` fresh ones, and more of them. */
export const fuzzedRequests = isFresh ? 200 : 40;

const number = (value: number): string => value.toLocaleString('en-GB');

/** The table of docs/develop/contract.md. */
export function coverage(): readonly (readonly [what: string, numbers: string])[] {
  const rows = number(all.length);
  return [
    ['operations asked for what they do, in sandbox and production, answers held to their schemas', rows],
    ['declared errors provoked on a running node and held to the catalogue', number(declaredErrors())],
    ['operations whose routes were made to answer 500, 503 and 429', rows],
    ['callers by scopes and by role, allowed or refused as the table says', number(callers())],
    [
      'ids of another tenant or environment, in every place of a request that holds one, answered as one that does not exist',
      number(foreignIds()),
    ],
    [
      'fuzzed requests, generated from the schemas, none of them answered with 5xx or as the table does not declare',
      number(all.length * fuzzedRequests),
    ],
  ];
}
