/**
 * Idempotency-Key (docs/contract-decisions.md, "Idempotency-Key"). There are two ways, by who writes the key's row:
 *
 * - Operations whose actor writes it in its own commit (`keptByActors`): the handler passes `call.idempotency` on, and the row is
 *   looked up only after a refusal. The common case costs no statement. A refusal has no commit that could hold the row: a
 *   statement of its own keeps it.
 * - All others: the key is claimed before the handler does anything, and the answer is kept after it. Where a user names a resource by
 *   its id alone, the claim waits until the handler has found in which environment the resource lies. The work and the
 *   kept answer are two transactions: after a crash between them the key is in progress until its claim lapses (`claimMs`,
 *   120 s), and a repetition after that is done once more.
 *
 * Either way every answer of a handler is kept but 429 and 5xx. What is refused before the handler leaves the key alone.
 *
 * A kept answer is shown to whoever may do the operation at that moment. Where the request names its project or workspace, that was
 * checked before. Where the handler had to find it, the grounds are kept with the answer, and checked again. An actor is always asked
 * again: a caller who lacks the right, or finds nothing there, is told so and nothing else.
 */
import { hash } from 'node:crypto';
import type { IdempotencyKey } from '../../actors/thread/index.ts';
import { ServiceError } from '../../protocol/errors.ts';
import type { UnavailableReason } from '../../runtime/actor/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import type { Claim, Grounds, KeptAnswer } from '../../storage/idempotency/index.ts';
import type { HttpAnswer } from '../http/index.ts';
import type { IdempotencyMark } from './handler.ts';

/** Operations that write their key in the commit of an actor. */
export const keptByActors: ReadonlySet<string> = new Set([
  'createThread',
  'createMessage',
  'createInboundMessage',
]);

/** The rows of keys (storage/idempotency/idempotency-keys.ts). */
export interface KeyStore {
  find(keyHash: Buffer, owner: readonly string[]): Promise<KeptAnswer | undefined>;
  claim(keyHash: Buffer, fingerprint: Buffer): Promise<Claim | KeptAnswer>;
  keep(claim: Claim, status: number, body: string | undefined, grounds?: Grounds): Promise<void>;
  release(claim: Claim): Promise<void>;
  keepRefusal(keyHash: Buffer, fingerprint: Buffer, status: number, body: string): Promise<boolean>;
  dropExpired(keyHash: Buffer): Promise<void>;
}

/** Encrypts answers that contain a secret (storage/secrets/vault.ts). */
export interface AnswerVault {
  seal(context: string, plaintext: string): Promise<string>;
  open(context: string, sealed: string): Promise<string>;
}

/** A request that carries a key. Its mark changes when its handler has found where it acts. */
export interface KeyedRequest {
  readonly key: string;
  mark: IdempotencyMark;
}

/** By what right a request is done, where its handler finds that out. */
export interface Right {
  /** Where the handler has asked for access and got it. */
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

/** The key in a header; undefined when there is none and none is required. Throws 400. */
export function parseKey(header: string, required: boolean): string | undefined {
  if (header === '') {
    if (required) throw new ServiceError('svc/runtime/missing_idempotency_key');
    return undefined;
  }
  if (visible.test(header)) return header;
  if (required) throw new ServiceError('svc/runtime/missing_idempotency_key');
  throw new ServiceError('svc/runtime/invalid_request', {
    message: 'The header Idempotency-Key must be 1 to 255 visible ASCII characters.',
  });
}

/**
 * The mark of a request with a key. `owner` is whom the key belongs to: project and environment, or the user where there is no
 * project, or the address with the body. No part can contain a line feed, so the lines keep them distinct.
 */
export function createMark(
  owner: readonly string[],
  operationId: string,
  key: string,
  path: string,
  body: unknown,
): IdempotencyMark {
  return {
    owner,
    keyHash: sha256([...owner, operationId, key].join('\n')),
    fingerprint: sha256(`${path}\n${canonicalJson(body)}`),
  };
}

// Through a string, the bytes are allocated in Node's pool: 0.4 microseconds. A buffer from `hash` takes 0.8 and is allocated outside the
// heap.
function sha256(text: string): Buffer {
  return Buffer.from(hash('sha256', text, 'binary'), 'latin1');
}

/** JSON with the keys of every object in order: the same text for the same value, however it was written. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const fields = value as Readonly<Record<string, unknown>>;
  let text = '';
  for (const key of Object.keys(fields).sort()) {
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(fields[key])}`;
  }
  return `{${text}}`;
}

/** Whether the caller is unknown here, lacks the right or finds nothing: nothing that was kept is shown to them. */
function deniesAccess({ http }: ServiceError): boolean {
  return http === 401 || http === 403 || http === 404;
}

/** Whether an answer of that status may be kept: 429 and 5xx may not. */
function mayBeKept(status: number): boolean {
  return status < 500 && status !== 429;
}

/** Thrown through the handler where the key has its answer already. */
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
  readonly #vault: AnswerVault;
  readonly #log: Log;

  constructor(store: KeyStore, vault: AnswerVault, log: Log) {
    this.#store = store;
    this.#vault = vault;
    this.#log = log;
  }

  /**
   * For operations whose actor keeps the key: `run`, and after a refusal what was answered the first time. `run` is called again
   * in two cases: only an expired key stood in its way; or the actor's node was lost before it answered. That is safe, since the key
   * is new to at most one of all the commits that carry it.
   */
  async inCommit(request: KeyedRequest, run: Run, refuse: Refuse): Promise<HttpAnswer> {
    for (let wasTaken = false, wasLost = false; ;) {
      let refusal: ServiceError;
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        refusal = error;
      }
      const { mark } = request;
      if (deniesAccess(refusal)) return this.#refused(mark, refusal, refuse);
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
   * before it does anything there. That claims the key, or ends `run` where the key has its answer already.
   */
  async wrapped(
    request: KeyedRequest,
    keeping: Keeping,
    run: (claim: () => Promise<void>) => Promise<HttpAnswer>,
    refuse: Refuse,
  ): Promise<HttpAnswer> {
    const held: { claim?: Claim; mark?: IdempotencyMark } = {};
    const claimNow = async (): Promise<void> => {
      const { mark } = request;
      const claim = await this.#store.claim(mark.keyHash, mark.fingerprint);
      if ('claimedAt' in claim) {
        held.claim = claim;
        held.mark = mark;
        return;
      }
      if (claim.grounds !== null) await keeping.right.stillHolds(claim.grounds);
      throw new Repetition(await this.#repeat(claim, mark, keeping.secret));
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
      if (claim === undefined) return this.#refused(request.mark, error, refuse);
      answer = refuse(error);
    }
    const { claim, mark } = held;
    if (claim === undefined || mark === undefined) throw new Error('the handler did not call authoriseScope');
    await this.#settle(
      mayBeKept(answer.status) ? this.#keep(claim, mark, answer, keeping) : this.#store.release(claim),
    );
    return answer;
  }

  /** The answer to a refusal for which no row was found, kept where it may be; or that of a concurrent request with the same key. */
  async #refused(mark: IdempotencyMark, refusal: ServiceError, refuse: Refuse): Promise<HttpAnswer> {
    if (refusal.code === keyTaken || !mayBeKept(refusal.http)) throw refusal;
    const answer = refuse(refusal);
    let kept: boolean;
    try {
      const body = String(answer.body);
      kept = await this.#store.keepRefusal(mark.keyHash, mark.fingerprint, answer.status, body);
    } catch (err) {
      this.#log.warn({ err }, 'a refusal could not be kept: if the request is repeated, it is decided again');
      return answer;
    }
    if (kept || deniesAccess(refusal)) return answer;
    const concurrent = await this.#lookUp(mark, refusal);
    return concurrent === undefined ? answer : this.#repeat(concurrent, mark, false);
  }

  async #keep(
    claim: Claim,
    mark: IdempotencyMark,
    answer: HttpAnswer,
    { secret, right }: Keeping,
  ): Promise<void> {
    const text = typeof answer.body === 'string' ? answer.body : undefined;
    const sealed = secret && text !== undefined ? await this.#vault.seal(sealContext(mark), text) : undefined;
    const body = sealed === undefined ? text : JSON.stringify(sealed);
    await this.#store.keep(claim, answer.status, body, right.grounds);
  }

  // The work is done: a key that cannot be settled must not turn the answer into an error.
  async #settle(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (err) {
      this.#log.warn(
        { err },
        'an idempotency key could not be settled: it stays in progress until its claim lapses',
      );
    }
  }

  async #lookUp(mark: IdempotencyMark, refusal: ServiceError): Promise<KeptAnswer | undefined> {
    try {
      return await this.#store.find(mark.keyHash, mark.owner);
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
      body = await this.#vault.open(sealContext(mark), JSON.parse(body) as string);
    }
    return {
      status: kept.status,
      headers: { 'Idempotent-Replayed': 'true' },
      ...(body === undefined ? {} : { body }),
    };
  }
}

/** The node that was asked is gone, and its answer with it. */
function isLost({ details }: ServiceError): boolean {
  const reason: UnavailableReason = 'connection';
  return details?.['reason'] === reason;
}

/** The key's mark for the commit of an actor, in a form that JSON can carry. */
export function commitKey(mark: IdempotencyMark | undefined): { readonly key?: IdempotencyKey } {
  if (mark === undefined) return {};
  return {
    key: { keyHash: mark.keyHash.toString('base64'), fingerprint: mark.fingerprint.toString('base64') },
  };
}

function sealContext(mark: IdempotencyMark): string {
  return `idempotency_keys/${mark.keyHash.toString('hex')}/body`;
}
