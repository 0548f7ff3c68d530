/** A gRPC client, and what its calls fail with. */
import {
  credentials,
  loadPackageDefinition,
  Metadata,
  type CallOptions,
  type ChannelCredentials,
  type ClientOptions,
  type ServiceError,
  status as codes,
} from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';
import type { Test } from 'tap';
import { contract, statusType } from '../../../gateway/grpc/definition.ts';
import type { ErrorInfo__Output } from '../../../protocol/gen/google/rpc/ErrorInfo.ts';
import type { BadRequest__Output } from '../../../protocol/gen/google/rpc/BadRequest.ts';
import type { Status__Output } from '../../../protocol/gen/google/rpc/Status.ts';
import type { ProtoGrpcType } from '../../../protocol/gen/internal.ts';
import type { ConversationsClient } from '../../../protocol/gen/skein/internal/v1/Conversations.ts';
import type { IngestMessageRequest } from '../../../protocol/gen/skein/internal/v1/IngestMessageRequest.ts';
import type { Tenant } from '../../node/tenant.ts';
import { startTestDatabase } from '../../support/database.ts';
import { startSkeinOn } from '../../support/skein.ts';

/** Token of the service `tests`. */
export const token = 'service-token-of-all-tests-0123456789';

const { Conversations } = (loadPackageDefinition(contract) as unknown as ProtoGrpcType).skein.internal.v1;

/** Metadata with a service token. */
export function bearer(given: string = token): Metadata {
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${given}`);
  return metadata;
}

/** Resolves with the answer of a unary call, rejects with its status. */
export function answer<T>(
  call: (
    metadata: Metadata,
    options: CallOptions,
    done: (error: ServiceError | null, value?: T) => void,
  ) => void,
  metadata: Metadata = bearer(),
  options: CallOptions = {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    call(metadata, options, (error, value) => (error === null ? resolve(value as T) : reject(error)));
  });
}

/** What a call failed with. */
export interface Failure {
  readonly code: codes;
  readonly message: string;
  readonly info: ErrorInfo__Output | undefined;
  readonly fields: readonly string[];
  readonly metadata: Metadata;
}

/** How the promise fails; throws when it does not. */
export async function failure(promise: Promise<unknown>): Promise<Failure> {
  try {
    await promise;
  } catch (error) {
    return getFailure(error as ServiceError);
  }
  throw new Error('the call did not fail');
}

/** @param error a status, or what became of a write to a call that has ended. */
export function getFailure(error: Partial<ServiceError>): Failure {
  const { code = codes.UNKNOWN, details = '', metadata = new Metadata() } = error;
  const [bytes] = metadata.get('grpc-status-details-bin');
  const status = bytes === undefined ? undefined : statusType.deserialize(bytes as Buffer);
  return { code, message: details, metadata, ...getDetails(status) };
}

export function getDetails(status: Status__Output | undefined): Pick<Failure, 'info' | 'fields'> {
  const unpack = <T>(name: string): T | undefined => {
    const part = status?.details.find(
      ({ type_url: url }) => url === `type.googleapis.com/google.rpc.${name}`,
    );
    const type = contract[`google.rpc.${name}`] as MessageTypeDefinition<object, object>;
    return part === undefined ? undefined : (type.deserialize(part.value) as T);
  };
  const violations = unpack<BadRequest__Output>('BadRequest')?.fieldViolations ?? [];
  return { info: unpack<ErrorInfo__Output>('ErrorInfo'), fields: violations.map(({ field }) => field) };
}

/** Starts a node of the test's own that answers gRPC. */
export async function startGrpcNode(t: Test, variables: Readonly<Record<string, string>> = {}) {
  const { database, url } = await startTestDatabase(t);
  const grpc = { GRPC_PORT: '0', SERVICE_TOKENS: `tests:${token}` };
  const skein = await startSkeinOn(t, url, { ...grpc, ...variables });
  return { ...skein, database, databaseUrl: url, address: getAddress(skein) };
}

export function getAddress({ grpcPort }: { readonly grpcPort: number | undefined }): string {
  return `127.0.0.1:${grpcPort}`;
}

/** Opens a client that is closed with the test. */
export function connect(
  t: Test,
  address: string,
  channel: ChannelCredentials = credentials.createInsecure(),
  options: ClientOptions = {},
): ConversationsClient {
  const client = new Conversations(address, channel, options);
  t.teardown(() => client.close());
  return client;
}

/** Returns a message for the tenant's channel. */
export function inbound(
  { projectId, environmentId, channelId }: Tenant,
  key: string,
  more: IngestMessageRequest = {},
): IngestMessageRequest {
  return {
    projectId,
    environmentId,
    channelId,
    idempotencyKey: key,
    externalParticipantRef: 'ada',
    body: `message ${key}`,
    ...more,
  };
}
