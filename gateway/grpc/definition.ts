/** The gRPC contract (protocol/internal.proto) in the form that grpc-js and reflection need, loaded once. */
import { fileURLToPath } from 'node:url';
import {
  loadSync,
  type MessageTypeDefinition,
  type MethodDefinition,
  type PackageDefinition,
} from '@grpc/proto-loader';
import type { Status, Status__Output } from '../../protocol/gen/google/rpc/Status.ts';
import type { ConversationsDefinition } from '../../protocol/gen/skein/internal/v1/Conversations.ts';

/** The service's full name, by which health probes ask for it. */
export const serviceName = 'skein.internal.v1.Conversations';

// The options of `npm run proto`: the generated types are true for these only.
const options = { longs: String, enums: String, defaults: true, oneofs: true } as const;

const folder = fileURLToPath(new URL('../../protocol', import.meta.url));

/** Everything in the contract and in what it imports. */
export const contract: PackageDefinition = loadSync('internal.proto', { ...options, includeDirs: [folder] });

/** The service. */
export const conversations = contract[serviceName] as unknown as ConversationsDefinition;

/** Encodes and decodes `google.rpc.Status`. */
export const statusType = contract['google.rpc.Status'] as MessageTypeDefinition<Status, Status__Output>;

/** A request message as it arrived. */
export interface DecodedRequest<Request> {
  /** Undefined: the bytes are not such a message. */
  readonly value: Request | undefined;
  /** Its length on the wire. */
  readonly bytes: number;
}

type Method = MethodDefinition<object, object>;

/**
 * The service for the server: a message that cannot be decoded reaches its method, which refuses it with an error of the catalogue.
 * By itself grpc-js would end the call with INTERNAL.
 */
export const decodingDefinition: Record<keyof ConversationsDefinition & string, Method> = Object.fromEntries(
  Object.entries(conversations as unknown as Record<string, Method>).map(([name, method]) => [
    name,
    { ...method, requestDeserialize: (bytes: Buffer) => decode(method, bytes) },
  ]),
) as Record<keyof ConversationsDefinition & string, Method>;

function decode({ requestDeserialize }: Method, bytes: Buffer): DecodedRequest<object> {
  try {
    return { value: requestDeserialize(bytes), bytes: bytes.length };
  } catch {
    return { value: undefined, bytes: bytes.length };
  }
}
