/** What crosses between the node's thread and the pool's workers: plain data, cloned. */
import type { FailureClass } from './failure.ts';
import type { Reach } from './address-guard.ts';

/** One HTTP request to an address that a customer named. */
export interface OutboundRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Sign the body when it is sent, with these secrets, the newest first (protocol/signature.ts). */
  readonly sign?: {
    readonly secrets: readonly string[];
    /** The id under which the receiver deduplicates. */
    readonly id: string;
  };
  /** From here to the last byte of the answer, in milliseconds. Default 15,000. */
  readonly timeoutMs?: number;
  /** Bytes of the answer's body that are kept. Default 16,384. */
  readonly keepBytes?: number;
  /** Refuse anything but https. Default false. */
  readonly httpsOnly?: boolean;
}

/** What came of it. Either `status` or `failure` is there. */
export interface OutboundResult {
  /** Epoch milliseconds: when it was sent. */
  readonly at: number;
  readonly durationMs: number;
  readonly status?: number;
  /** The kept part of the answer's body as UTF-8; what is no UTF-8 is replaced. */
  readonly body?: string;
  /** Set when the body was longer than what is kept. */
  readonly truncated?: true;
  readonly contentType?: string;
  /** The header Retry-After as it came. */
  readonly retryAfter?: string;
  readonly failure?: FailureClass;
  /** In words, for the owner of the address. */
  readonly error?: string;
}

/** From the node to a session in a worker. */
export type ToWorker =
  | { readonly do: 'send'; readonly ids: readonly number[]; readonly requests: readonly OutboundRequest[] }
  | { readonly do: 'cancel'; readonly id: number }
  | { readonly do: 'close' };

/** From a session to the node: the results of one turn of the worker's event loop. */
export interface FromWorker {
  readonly ids: readonly number[];
  readonly results: readonly OutboundResult[];
}

/** How the workers reach out; the same for the whole pool. */
export interface OutboundOptions {
  /** Default `public`. */
  readonly reach?: Reach;
  /** Time to resolve, connect and secure, in milliseconds. Default 5,000. */
  readonly connectTimeoutMs?: number;
  /** Name servers as `address:port`; the system's by default. */
  readonly nameServers?: readonly string[];
  /** Roots to trust beside the built-in ones, PEM. */
  readonly ca?: readonly string[];
}
