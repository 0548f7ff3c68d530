/**
 * What is decided by the metadata of a call, before grpc-js reads a message: the service token, how large a message may be, and until when
 * it must be there. A caller without a token costs no memory for messages.
 */
import type { ServerHttp2Stream } from 'node:http2';
import {
  status as codes,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
} from '@grpc/grpc-js';
import type { Clock } from '../../runtime/time/index.ts';
import type { Connections } from './connections.ts';
import type { Gate } from './gate.ts';

/** Health probes need no token. */
export const openPrefix = '/grpc.health.v1.Health/';
/** Bytes of a message from a caller without a token: the name of a service. */
const maxOpenBytes = 1_024;
/** The request of a method that takes one message has to be there this long after its metadata. */
const requestMs = 30_000;
/** Time for a client to read its status. */
const statusMs = 1_000;

/** Refuses calls before their messages are read. */
export function createAdmission(
  gate: Pick<Gate, 'refuse'>,
  connections: Pick<Connections, 'permitted'>,
  clock: Pick<Clock, 'after'>,
): ServerInterceptor {
  return ({ path, requestStream }, call) => {
    const isOpen = path.startsWith(openPrefix);
    let deadline: { cancel(): void } | undefined;
    return new ServerInterceptingCall(call, {
      start(next) {
        next({
          onReceiveMetadata(metadata, proceed) {
            const refusal = isOpen ? undefined : gate.refuse(metadata, call.getDeadline(), path);
            if (refusal !== undefined) {
              call.sendStatus({ code: codes.UNKNOWN, details: '', ...refusal });
              closeStream(call, clock);
              return;
            }
            connections.permitted(call.getConnectionInfo(), !isOpen);
            if (isOpen) limitMessages(call, maxOpenBytes);
            if (!requestStream) {
              deadline = clock.after(requestMs, () => {
                call.sendStatus({
                  code: codes.DEADLINE_EXCEEDED,
                  details: 'The request did not arrive in time.',
                });
                closeStream(call, clock);
              });
            }
            proceed(metadata);
          },
          onReceiveHalfClose(proceed) {
            deadline?.cancel();
            proceed();
          },
          onCancel() {
            deadline?.cancel();
          },
        });
      },
    });
  };
}

/** Parts of a call of grpc-js that its types do not show. */
interface CallParts {
  readonly stream: ServerHttp2Stream;
  readonly decoder: { maxReadMessageLength: number };
}

const getParts = (call: ServerInterceptingCallInterface): CallParts => call as unknown as CallParts;

/**
 * Some time after the status, so that the client reads it, which it would not where it still sends. Without this the client would keep the
 * stream for as long as it does not end its side. What it sends meanwhile is dropped.
 */
function closeStream(call: ServerInterceptingCallInterface, clock: Pick<Clock, 'after'>): void {
  const { stream } = getParts(call);
  const closing = clock.after(statusMs, () => stream.close());
  stream.once('close', () => closing.cancel());
}

function limitMessages(call: ServerInterceptingCallInterface, maxBytes: number): void {
  getParts(call).decoder.maxReadMessageLength = maxBytes;
}
