/** A call under way, its options, and what its answer says beside its body. */

/** Options of one call. Each default is the client's own option. */
export interface CallOptions {
  /**
   * Identifies the request for 24 hours: sent again with the same key it is carried out once, and gets the first answer again. Default: a
   * random one for each call of an operation that honours keys, so that its retries are safe.
   */
  readonly idempotencyKey?: string | undefined;
  /** Ends the call with the signal's reason, also while it waits for its next try. */
  readonly signal?: AbortSignal | undefined;
  /** How long one try may take, headers and body, in milliseconds; Infinity: without end. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Tries after the first. Default 2; 0: none, whatever the answer. */
  readonly maxRetries?: number | undefined;
  /** The user on whose behalf the key acts. */
  readonly actingUser?: string | undefined;
  /** Sent beside the client's. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Options of a change of what two people may edit. */
export interface EditOptions extends CallOptions {
  /**
   * The `etag` of the state that the change was made from. Where that has changed since, nothing is done: `svc/runtime/precondition_failed`.
   * Default: the last change wins.
   */
  readonly ifMatch?: string | undefined;
}

/** The quota that a request was charged to. */
export interface RateLimit {
  /** Requests that it allows. */
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until it is full again. */
  readonly resetSeconds: number;
}

/** An answer with what stood around its body. */
export interface Answer<T> {
  readonly data: T;
  /** Its body has been read. */
  readonly response: Response;
  /** Quote it when you ask for help. */
  readonly requestId: string | undefined;
  readonly rateLimit: RateLimit | undefined;
  /** Whether it is the answer of an earlier request with the same key. */
  readonly replayed: boolean;
  /** Names the state of the resource, for `ifMatch`; undefined of what has none. */
  readonly etag: string | undefined;
}

/** As a Promise has it, so that a handler may name the class that it expects. */
type Reason = Parameters<NonNullable<Parameters<Promise<unknown>['catch']>[0]>>[0];

/**
 * A call that was sent. Await it for the body of its answer, or `withResponse()` for everything around it. It rejects with an `ApiError`
 * (or its subclasses), a `ConnectionError` or a `TimeoutError`, or with the reason of its signal.
 */
export class Call<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = 'Call';
  readonly #answer: Promise<Answer<T>>;

  constructor(answer: Promise<Answer<T>>) {
    this.#answer = answer;
  }

  /** The body with its headers, request id, quota, and whether it is a repetition. */
  withResponse(): Promise<Answer<T>> {
    return this.#answer;
  }

  then<A = T, B = never>(
    onData?: ((data: T) => A | PromiseLike<A>) | null,
    onError?: ((error: Reason) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#answer.then(({ data }) => data).then(onData, onError);
  }

  catch<B = never>(onError?: ((error: Reason) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, onError);
  }

  finally(onSettled?: (() => void) | null): Promise<T> {
    return this.then().finally(onSettled);
  }
}
