/**
 * Idempotency-Key (decisions section 1). Two ways, by who writes the row:
 *
 * - Operations whose actor writes it in its own commit (`keptByActors`): the handler passes `call.idempotency` on, and only
 *   when it was refused is the row looked up. The common case costs no statement. A refusal has no commit to be written
 *   in; it is kept by a statement of its own.
 * - All others: the key is claimed before the handler does anything, and the answer is kept after it. Where a user names a resource by
 *   its id alone, that is when the handler has found out in which environment it lies. What was done and what is
 *   kept are two transactions: after a crash between them the key is in progress until its claim lapses (`claimMs`, 120 s),
 *   and a repetition after that is done once more.
 *
 * Either way every answer of a handler is kept but 429 and 5xx; what is refused before the handler leaves the key alone.
 *
 * A kept answer is given to whoever may do the operation at that moment. Where the request names its project or workspace, that is
 * known before; where the handler found it out, it is kept with the answer, and asked anew. An actor is asked anew in any case: who
 * is refused for want of a right, or finds nothing there, is told so and nothing else.
 */
import { hash } from 'node:crypto';
import { ServiceError } from '../../protocol/errors.ts';
import type { Reason } from '../../runtime/failures.ts';
import type { Log } from '../../runtime/log.ts';
import type { Claim, Grounds, KeptAnswer } from '../../storage/idempotency.ts';
import type { HttpAnswer } from '../http/message.ts';
import type { IdempotencyMark } from './handler.ts';

/** Operations that write their key in the commit of an actor. */
export const keptByActors: ReadonlySet<string> = new Set([
  'createThread',
  'createMessage',
  'createInboundMessage',
]);

/** Where keys are kept (storage/idempotency.ts). */
export interface KeyStore {
  find(keyHash: Buffer): Promise<KeptAnswer | undefined>;
  claim(keyHash: Buffer, fingerprint: Buffer): Promise<Claim | KeptAnswer>;
  keep(claim: Claim, status: number, body: string | undefined, grounds?: Grounds): Promise<void>;
  release(claim: Claim): Promise<void>;
  keepRefusal(keyHash: Buffer, fingerprint: Buffer, status: number, body: string): Promise<boolean>;
  dropExpired(keyHash: Buffer): Promise<void>;
}

/** Encrypts answers that hold a secret (storage/vault.ts). */
export interface Sealer {
  seal(context: string, plaintext: string): Promise<string>;
  open(context: string, sealed: string): Promise<string>;
}

/** By what right a request is done, where its handler finds that out. */
export interface Right {
  /** What the handler has asked for and been granted. */
  readonly grounds: Grounds | undefined;
  /** Resolves when the caller may do the operation there now; rejects as the handler would have. */
  stillHolds(grounds: Grounds): Promise<unknown>;
}

/** How an operation's answer is kept and shown again. */
export interface Keeping {
  /** The answer is kept encrypted. */
  readonly secret: boolean;
  readonly right: Right;
}

type Run = () => HttpAnswer | Promise<HttpAnswer>;
type Refuse = (error: ServiceError) => HttpAnswer;

const keyTaken = 'svc/runtime/idempotency_conflict';
const visible = /^[\x21-\x7e]{1,255}$/;

/** Whether the text can be a key. */
export function canBeKey(text: string): boolean {
  return visible.test(text);
}

/** The key of a request; undefined when there is none and none is needed. Throws 400. */
export function keyOf(header: string, required: boolean): string | undefined {
  if (header === '') {
    if (required) throw new ServiceError('svc/runtime/missing_idempotency_key');
    return undefined;
  }
  if (visible.test(header)) return header;
  if (required) throw new ServiceError('svc/runtime/missing_idempotency_key');
  throw new ServiceError('svc/runtime/invalid_request', {
    message: 'The header Idempotency-Key has to be 1 to 255 visible ASCII characters.',
  });
}

/**
 * What a request with a key stands for. `scope` is who the key belongs to: project and environment, or the user where
 * there is no project, or who sends such a body from that address. No part can hold a line feed, so the lines tell them apart.
 */
export function markOf(
  scope: readonly string[],
  operationId: string,
  key: string,
  path: string,
  body: unknown,
): IdempotencyMark {
  return {
    keyHash: sha256([...scope, operationId, key].join('\n')),
    fingerprint: sha256(`${path}\n${canonical(body)}`),
  };
}

// By way of a string the bytes come to lie in Node's pool: 0.4 microseconds, where asking for a buffer takes 0.8 and
// leaves the collector an allocation outside its heap.
function sha256(text: string): Buffer {
  return Buffer.from(hash('sha256', text, 'binary'), 'latin1');
}

/** JSON with every object's keys in order: the same text for the same value, however it was written. */
export function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const fields = value as Readonly<Record<string, unknown>>;
  let text = '';
  for (const key of Object.keys(fields).sort()) {
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonical(fields[key])}`;
  }
  return `{${text}}`;
}

/** Whether it says that the caller is nobody here, may not, or finds nothing: to them nothing that was kept is shown. */
function keepsOut({ http }: ServiceError): boolean {
  return http === 401 || http === 403 || http === 404;
}

/** Whether an answer of that status may be kept: 429 and 5xx may not. */
function keepable(status: number): boolean {
  return status < 500 && status !== 429;
}

/** Thrown through a handler whose key has its answer already. */
class Repetition extends Error {
  readonly answer: HttpAnswer;

  constructor(answer: HttpAnswer) {
    super('the request was answered before');
    this.answer = answer;
  }
}

/** Runs requests that carry a key. */
export class Idempotency {
  readonly #store: KeyStore;
  readonly #sealer: Sealer;
  readonly #log: Log;

  constructor(store: KeyStore, sealer: Sealer, log: Log) {
    this.#store = store;
    this.#sealer = sealer;
    this.#log = log;
  }

  /**
   * For operations whose actor keeps the key: `run`, and when it is refused, what was answered the first time. `markNow` is asked
   * after `run`, which may have found out where it acts. `run` may be
   * called again: when all that stood in its way was an expired key; and when the actor's node was lost before it answered, since
   * the key is new to at most one of all the commits that bear it.
   */
  async inCommit(markNow: () => IdempotencyMark, run: Run, refuse: Refuse): Promise<HttpAnswer> {
    for (let wasTaken = false, wasLost = false; ;) {
      let refusal: ServiceError;
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        refusal = error;
      }
      const mark = markNow();
      if (keepsOut(refusal)) return this.#refused(mark, refusal, refuse);
      const kept = await this.#lookUp(mark, refusal);
      if (kept !== undefined) return this.#repeat(kept, mark, false);
      if (refusal.code === keyTaken && !wasTaken) {
        wasTaken = true;
        await this.#store.dropExpired(mark.keyHash);
      } else if (isLost(refusal) && !wasLost) {
        wasLost = true;
      } else {
        return this.#refused(mark, refusal, refuse);
      }
    }
  }

  /**
   * For all other operations: claims the key, runs, keeps the answer. `run` calls what it is given once it is certain where it acts, and
   * before it does anything there: that claims the key, or ends `run` where the key has its answer already.
   */
  async wrapped(
    markNow: () => IdempotencyMark,
    keeping: Keeping,
    run: (claim: () => Promise<void>) => Promise<HttpAnswer>,
    refuse: Refuse,
  ): Promise<HttpAnswer> {
    const held: { claim?: Claim; mark?: IdempotencyMark } = {};
    const former = markNow();
    const repeated = async (kept: KeptAnswer, mark: IdempotencyMark): Promise<Repetition> => {
      if (kept.grounds !== null) await keeping.right.stillHolds(kept.grounds);
      return new Repetition(await this.#repeat(kept, mark, keeping.secret));
    };
    const claimNow = async (): Promise<void> => {
      const mark = markNow();
      const early = await this.#formerly(former, mark);
      if (early !== undefined) throw await repeated(early, former);
      const claim = await this.#store.claim(mark.keyHash, mark.fingerprint);
      if (!('claimedAt' in claim)) throw await repeated(claim, mark);
      Object.assign(held, { claim, mark });
    };
    let answer: HttpAnswer;
    try {
      answer = await run(claimNow);
    } catch (error) {
      if (error instanceof Repetition) return error.answer;
      const { claim } = held;
      if (!(error instanceof ServiceError)) {
        if (claim !== undefined) await this.#settle(this.#store.release(claim));
        throw error;
      }
      if (claim === undefined) return this.#refused(markNow(), error, refuse);
      answer = refuse(error);
    }
    const { claim, mark } = held;
    if (claim === undefined || mark === undefined) throw new Error('an operation has not said where it acts');
    await this.#settle(
      keepable(answer.status) ? this.#keep(claim, mark, answer, keeping) : this.#store.release(claim),
    );
    return answer;
  }

  /** The answer to a refusal that no row stands against, kept if it may be; that of a twin which came first, if one did. */
  async #refused(mark: IdempotencyMark, refusal: ServiceError, refuse: Refuse): Promise<HttpAnswer> {
    if (refusal.code === keyTaken || !keepable(refusal.http)) throw refusal;
    const answer = refuse(refusal);
    let kept: boolean;
    try {
      const body = String(answer.body);
      kept = await this.#store.keepRefusal(mark.keyHash, mark.fingerprint, answer.status, body);
    } catch (err) {
      this.#log.warn({ err }, 'a refusal could not be kept: a repetition of its request is decided anew');
      return answer;
    }
    if (kept || keepsOut(refusal)) return answer;
    const twin = await this.#lookUp(mark, refusal);
    return twin === undefined ? answer : this.#repeat(twin, mark, false);
  }

  /**
   * What a node of an earlier version has done, or is at: it marked a request before its handler had found where it acts. To go once this
   * version has run on every node for 24 hours, as long as keys live.
   */
  async #formerly(former: IdempotencyMark, mark: IdempotencyMark): Promise<KeptAnswer | undefined> {
    if (former.keyHash.equals(mark.keyHash)) return undefined;
    const kept = await this.#store.find(former.keyHash);
    // Of another request, it may be the other environment's. Without grounds, it was refused before it was found where it would act.
    if (kept?.fingerprint.equals(mark.fingerprint) !== true) return undefined;
    return kept.status === null || kept.grounds !== null ? kept : undefined;
  }

  async #keep(
    claim: Claim,
    mark: IdempotencyMark,
    answer: HttpAnswer,
    { secret, right }: Keeping,
  ): Promise<void> {
    const text = typeof answer.body === 'string' ? answer.body : undefined;
    const sealed = secret && text !== undefined ? await this.#sealer.seal(contextOf(mark), text) : undefined;
    const body = sealed === undefined ? text : JSON.stringify(sealed);
    await this.#store.keep(claim, answer.status, body, right.grounds);
  }

  // What was done is done: that its key could not be settled must not turn the answer into an error.
  async #settle(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (err) {
      this.#log.warn(
        { err },
        'an idempotency key could not be settled and stays in progress until it lapses',
      );
    }
  }

  async #lookUp(mark: IdempotencyMark, refusal: ServiceError): Promise<KeptAnswer | undefined> {
    try {
      return await this.#store.find(mark.keyHash);
    } catch (err) {
      this.#log.warn({ err }, 'an idempotency key could not be looked up');
      throw refusal;
    }
  }

  async #repeat(kept: KeptAnswer, mark: IdempotencyMark, secret: boolean): Promise<HttpAnswer> {
    if (kept.status === null || !kept.fingerprint.equals(mark.fingerprint)) {
      throw new ServiceError(keyTaken);
    }
    let body = kept.body ?? undefined;
    if (secret && body?.startsWith('"')) {
      body = await this.#sealer.open(contextOf(mark), JSON.parse(body) as string);
    }
    return {
      status: kept.status,
      headers: { 'Idempotent-Replayed': 'true' },
      ...(body === undefined ? {} : { body }),
    };
  }
}

/** The node that was asked is gone, and with it the answer. */
function isLost({ details }: ServiceError): boolean {
  const reason: Reason = 'connection';
  return details?.['reason'] === reason;
}

function contextOf(mark: IdempotencyMark): string {
  return `idempotency_keys/${mark.keyHash.toString('hex')}/body`;
}
