/** Errors as gRPC statuses: the one place where an entry of the error catalogue (protocol/errors.ts) becomes a status. */
import { Metadata, type StatusObject, type status as codes } from '@grpc/grpc-js';
import type { Any } from '../../protocol/gen/google/protobuf/Any.ts';
import type { Status } from '../../protocol/gen/google/rpc/Status.ts';
import { errors, grpcStatus, type Issue, type ServiceError } from '../../protocol/errors.ts';
import { statusType } from './definition.ts';
import { toFieldPath } from './field-paths.ts';

/** The domain of our codes in google.rpc.ErrorInfo. */
export const errorDomain = 'skein';

// A status travels in a header block, whose size clients limit: some to 8 KiB.
const maxViolations = 10;
const maxTextLength = 200;

/** The call was cancelled before anything was done for it: no client waits for the answer. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/** What the error is about: one call, or one message of a stream. */
export interface ErrorContext {
  readonly requestId: string;
  /** Of `performance.now`; Infinity: none. */
  readonly deadline: number;
}

/** The error as a `google.rpc.Status`: what an acknowledgement carries, and the trailer of a failed call. */
export function rpcStatus(error: ServiceError, { requestId, deadline }: ErrorContext): Status {
  const { code, message, details = {}, retryAfterSeconds } = error;
  const { issues, ...others } = details as { readonly issues?: readonly Issue[] };
  const metadata = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, toText(value)]));
  const parts: Any[] = [
    any('ErrorInfo', { reason: code, domain: errorDomain, metadata }),
    any('RequestInfo', { requestId }),
  ];
  if (retryAfterSeconds !== undefined)
    parts.push(any('RetryInfo', { retryDelay: { seconds: retryAfterSeconds } }));
  if (issues !== undefined) parts.push(any('BadRequest', { fieldViolations: toViolations(issues) }));
  // The caller's own deadline has passed, not the server's.
  const late = details['reason'] === 'deadline' && performance.now() >= deadline;
  return {
    code: late ? grpcStatus.DEADLINE_EXCEEDED : grpcStatus[errors[code].grpc],
    message,
    details: parts,
  };
}

/** The error as the end of a call, with `grpc-status-details-bin`, and `retry-after` where it says when to retry. */
export function callStatus(error: ServiceError, about: ErrorContext): Partial<StatusObject> {
  const status = rpcStatus(error, about);
  const metadata = new Metadata();
  metadata.set('grpc-status-details-bin', statusType.serialize(status));
  metadata.set('x-request-id', about.requestId);
  if (error.retryAfterSeconds !== undefined) metadata.set('retry-after', String(error.retryAfterSeconds));
  return { code: status.code as codes, details: error.message, metadata };
}

function any(type: string, fields: object): Any {
  return { '@type': `type.googleapis.com/google.rpc.${type}`, ...fields };
}

function toViolations(issues: readonly Issue[]): object[] {
  return issues.slice(0, maxViolations).map(({ path, message, code }) => ({
    field: toFieldPath(path).slice(0, maxTextLength),
    description: message.slice(0, maxTextLength),
    reason: code,
  }));
}

function toText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.slice(0, maxTextLength);
}
