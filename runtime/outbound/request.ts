/** A request to an address that a customer named, its result, and its failures: plain data, which crosses between threads. */
import { BlockedAddress, type Reach } from './address-guard.ts';

/** Connections of one worker to one HTTP origin, for one sort of requests. A further request waits for one of them; its time does not run yet. */
export const maxConnectionsPerOrigin = 512;

/** One HTTP request to an address that a customer named. */
export interface OutboundRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Signs the body when it is sent, with these secrets, newest first (protocol/signature.ts). */
  readonly sign?: {
    readonly secrets: readonly string[];
    /** The id under which the receiver deduplicates. */
    readonly id: string;
    /** The signature covers the whole request as well (`v2`). The names of headers are in lower case then. */
    readonly coversRequest?: true;
  };
  /** Epoch milliseconds: now, as its signature and its result are to say, which count the time that it waits. Default: the machine's. */
  readonly at?: number;
  /** Time until the last byte of the answer, in milliseconds. Default 15,000. */
  readonly timeoutMs?: number;
  /** How many bytes of the answer's body are kept. Default 16,384. */
  readonly keepBytes?: number;
  /**
   * The path of a file that does not exist yet: it gets the body of an answer with 200, and the result has no `body`. Whatever the result, the
   * caller removes it.
   */
  readonly saveTo?: string;
  /** Refuses anything but https. Default false. */
  readonly httpsOnly?: boolean;
  /** Default: the pool's. For addresses that the operator has configured, which no customer can name. */
  readonly reach?: Reach;
  /** Of which sort it is: requests of different sorts share no connections. Set by the pool's queues; default 0. */
  readonly sort?: number;
}

/** A body that was kept in a file. */
export interface SavedBody {
  readonly bytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

/** The outcome of a request. Has either `status` or `failure`. */
export interface OutboundResult {
  /** Epoch milliseconds: when it was sent. */
  readonly at: number;
  readonly durationMs: number;
  readonly status?: number;
  /** The kept part of the answer's body as UTF-8; invalid bytes are replaced. */
  readonly body?: string;
  /** Absent: nothing was to be saved, or it could not be. */
  readonly saved?: SavedBody;
  /** Set when the body was longer than the kept part. */
  readonly truncated?: true;
  readonly contentType?: string;
  /** The header Retry-After, unparsed. */
  readonly retryAfter?: string;
  readonly failure?: FailureClass;
  /** The failure in words, for the owner of the address. */
  readonly error?: string;
}

/** How requests are sent; the same for a whole pool. */
export interface OutboundOptions {
  /** Default `public`. */
  readonly reach?: Reach;
  /** Ports of this machine that are never connected to: the node's own. Default none. */
  readonly ownPorts?: readonly number[];
  /** Time to resolve, connect and secure, in milliseconds. Default 5,000. */
  readonly connectTimeoutMs?: number;
  /** Name servers as `address:port`; the system's by default. */
  readonly nameServers?: readonly string[];
  /** Root certificates to trust beside the built-in ones, PEM. */
  readonly ca?: readonly string[];
}

/** Why a request got no answer (docs/contract-decisions.md, "What an attempt records"). The caller judges an answer's status. */
export type FailureClass = 'timeout' | 'dns' | 'connect' | 'tls' | 'blocked_address';

/** What a connection was being made of when it failed. */
export type ConnectPhase = 'dns' | 'connect' | 'tls';

export class OutboundFailure extends Error {
  override readonly name = 'OutboundFailure';
  readonly failure: FailureClass;

  constructor(failure: FailureClass, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }

  /** Classifies any error by the phase in which it occurred. */
  static from(error: unknown, phase: ConnectPhase): OutboundFailure {
    if (error instanceof OutboundFailure) return error;
    const cause = error instanceof Error ? error : new Error(String(error));
    if (cause instanceof BlockedAddress) {
      return new OutboundFailure('blocked_address', cause.message, { cause });
    }
    const code = (cause as NodeJS.ErrnoException).code;
    return new OutboundFailure(phase, messages[code ?? ''] ?? code ?? cause.message, { cause });
  }
}

// The owner of a stitch reads these: Node's own messages would show addresses of this network.
const messages: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name does not resolve',
  ENODATA: 'the host name has no address',
  ESERVFAIL: 'the name server failed',
  ETIMEOUT: 'the name server did not answer',
  EAI_AGAIN: 'the name server did not answer',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection closed while sending',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ETIMEDOUT: 'connection timed out',
  UND_ERR_SOCKET: 'connection closed before the answer was complete',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate chain is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate chain is incomplete',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate is from an unknown issuer',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host',
};
