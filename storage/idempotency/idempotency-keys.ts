/**
 * Idempotency keys (docs/contract-decisions.md, "General rules"), as the request pipeline uses them. The row of a key is
 *
 * - absent: the request is new; an expired row counts as absent;
 * - in progress (`status` null): claimed by a request that is being answered. The claim lapses after `claimMs`, so that a crash does
 *   not block the key for a day;
 * - kept: its status and body answer every repetition, for 24 hours.
 *
 * Where only the handler could find out which scope the caller had to have access to, that scope is kept with the answer. Actors write
 * kept rows themselves, in their commits (storage/writes/events-and-answers.ts).
 */
import type { Clock } from '../../runtime/time/index.ts';
import type { Queries } from '../database/index.ts';
import type { Grounds } from '../entities/index.ts';
import { idempotencyKeptMs } from '../writes/index.ts';

export type { Grounds } from '../entities/index.ts';

/** Milliseconds that a claim holds without an answer: longer than any request takes. */
export const claimMs = 120_000;

/** The row of a key that is not absent. */
export interface KeptAnswer {
  /** Of the first request with the key. */
  readonly fingerprint: Buffer;
  /** Null: that request is still in progress. */
  readonly status: number | null;
  /** The JSON text of the body; null where there is none. */
  readonly body: string | null;
  readonly grounds: Grounds | null;
}

/** Proof of a claim: `keep` and `release` act on this claim and on no later one. */
export interface Claim {
  readonly keyHash: Buffer;
  readonly claimedAt: Date;
}

const selectKept = `
  select k.fingerprint, k.status, coalesce(k.body, (e.body::json #> '{data,message}')::text) as body, k.grounds
  from idempotency_keys k left join events e on e.event_id = k.event_id and array[e.project_id, e.environment_id] = $3::text[]
  where k.key_hash = $1 and k.expires_at > $2`;

// Claims the key when it is absent; returns no row when another request has it.
const claimKey = `
  insert into idempotency_keys as held (key_hash, fingerprint, status, body, created_at, expires_at)
  values ($1, $2, null, null, $3, $4)
  on conflict (key_hash) do update
    set fingerprint = excluded.fingerprint, status = null, body = null, event_id = null, grounds = null,
      created_at = excluded.created_at, expires_at = excluded.expires_at
    where held.expires_at <= excluded.created_at
  returning created_at`;

const keepAnswer = `
  update idempotency_keys set status = $3, body = $4, expires_at = $5, grounds = $6
  where key_hash = $1 and created_at = $2 and status is null`;

// Claims and keeps at once; returns no row when another request has the key.
const keepRefusal = `
  insert into idempotency_keys as held (key_hash, fingerprint, status, body, created_at, expires_at)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (key_hash) do update
    set fingerprint = excluded.fingerprint, status = excluded.status, body = excluded.body, event_id = null, grounds = null,
      created_at = excluded.created_at, expires_at = excluded.expires_at
    where held.expires_at <= excluded.created_at
  returning created_at`;

const releaseClaim = `
  delete from idempotency_keys where key_hash = $1 and created_at = $2 and status is null`;

const dropExpired = `delete from idempotency_keys where key_hash = $1 and expires_at <= $2`;

/** The table `idempotency_keys` by its keys; each method is one statement, and rejects when the database does. */
export class IdempotencyKeys {
  readonly #db: Queries;
  readonly #clock: Clock;

  constructor(db: Queries, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** The row of a key, unless it is absent or expired. @param owner project and environment: an answer that is an event's is theirs */
  async find(keyHash: Buffer, owner: readonly string[]): Promise<KeptAnswer | undefined> {
    const values = [keyHash, new Date(this.#clock.now()), owner];
    const [row] = await this.#db.query<KeptAnswer>(selectKept, values, 'idempotency.find');
    return row;
  }

  /** Claims a key for a request, or resolves to the row of the request that has it. */
  async claim(keyHash: Buffer, fingerprint: Buffer): Promise<Claim | KeptAnswer> {
    // The holder may release the key between the two statements: then the next claim succeeds.
    for (let attempt = 0; attempt < 3; attempt++) {
      const claimedAt = new Date(this.#clock.now());
      const lapses = new Date(claimedAt.getTime() + claimMs);
      const values = [keyHash, fingerprint, claimedAt, lapses];
      const claimed = await this.#db.query(claimKey, values, 'idempotency.claim');
      if (claimed.length > 0) return { keyHash, claimedAt };
      // Only an actor keeps an event for an answer, and it claims nothing.
      const held = await this.find(keyHash, []);
      if (held !== undefined) return held;
    }
    return { fingerprint, status: null, body: null, grounds: null };
  }

  /** Keeps the answer for repetitions. No effect when the claim has lapsed. */
  async keep(claim: Claim, status: number, body: string | undefined, grounds?: Grounds): Promise<void> {
    const until = new Date(this.#clock.now() + idempotencyKeptMs);
    const ground = grounds === undefined ? null : JSON.stringify(grounds);
    const values = [claim.keyHash, claim.claimedAt, status, body ?? null, until, ground];
    await this.#db.query(keepAnswer, values, 'idempotency.keep');
  }

  /** Keeps a refusal under an unclaimed key. False, and no effect, when another request has claimed the key. */
  async keepRefusal(keyHash: Buffer, fingerprint: Buffer, status: number, body: string): Promise<boolean> {
    const now = this.#clock.now();
    const values = [keyHash, fingerprint, status, body, new Date(now), new Date(now + idempotencyKeptMs)];
    const kept = await this.#db.query(keepRefusal, values, 'idempotency.refusal');
    return kept.length > 0;
  }

  /** Releases the key, for an answer that must not be repeated. */
  async release(claim: Claim): Promise<void> {
    await this.#db.query(releaseClaim, [claim.keyHash, claim.claimedAt], 'idempotency.release');
  }

  /** Removes the row of a key if it is expired, before the retention sweep does: it would still make an actor's commit fail. */
  async dropExpired(keyHash: Buffer): Promise<void> {
    const now = new Date(this.#clock.now());
    await this.#db.query(dropExpired, [keyHash, now], 'idempotency.drop');
  }
}
