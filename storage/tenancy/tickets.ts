/**
 * Tickets for the Console stream (docs/contract-decisions.md, "Console stream"): a browser cannot set headers on a websocket, so it
 * exchanges its token for a ticket that opens one socket of one project within 30 seconds. Kept as keyed hashes.
 */
import { randomBytes } from 'node:crypto';
import { type Database, executeBound } from '../database/index.ts';
import { selectHasSecondFactor } from '../entities/index.ts';
import { transactOnce, type WorkKey } from '../idempotency/index.ts';
import type { KeyedHash } from '../secrets/index.ts';

export const ticketSeconds = 30;

/** Whose ticket it is. */
export interface TicketHolder {
  readonly projectId: string;
  readonly userId: string;
  readonly sessionId: string;
}

/** The holder, with the user's current data. */
export interface RedeemedTicket extends TicketHolder {
  readonly email: string;
  readonly emailVerified: boolean;
  /** Whether a login of the user takes more than the password. */
  readonly hasSecondFactor: boolean;
}

const insert = `
  insert into stream_tickets (ticket_hash, project_id, user_id, session_id, created_at, expires_at)
  values ($1, $2, $3, $4, $5, $6)`;

// One statement finds and uses the ticket: of two sockets with one ticket, one opens.
const use = `
  update stream_tickets s set used_at = $3 from users u
  where ticket_hash = $1 and project_id = $2 and used_at is null and expires_at > $3 and u.user_id = s.user_id
  returning project_id as "projectId", s.user_id as "userId", session_id as "sessionId", u.email,
    u.email_verified_at is not null as "emailVerified", ${selectHasSecondFactor('u.user_id')} as "hasSecondFactor"`;

export class StreamTickets {
  readonly #db: Pick<Database, 'query' | 'em'>;
  readonly #hash: KeyedHash;

  constructor(db: Pick<Database, 'query' | 'em'>, hash: KeyedHash) {
    this.#db = db;
    this.#hash = hash;
  }

  /** A new ticket: 256 random bits. `now` in epoch milliseconds. */
  issue(holder: TicketHolder, now: number, key?: WorkKey): Promise<string> {
    const ticket = randomBytes(32).toString('base64url');
    const { projectId, userId, sessionId } = holder;
    const expiresAt = new Date(now + ticketSeconds * 1000);
    const row = [this.#hashTicket(ticket), projectId, userId, sessionId, new Date(now), expiresAt];
    return transactOnce(this.#db, key, async em => {
      await executeBound(em, insert, row);
      return ticket;
    });
  }

  /** Uses the ticket; undefined when it is unknown, used, expired, or of another project. */
  async redeem(ticket: string, projectId: string, now: number): Promise<RedeemedTicket | undefined> {
    const [holder] = await this.#db.query<RedeemedTicket>(use, [
      this.#hashTicket(ticket),
      projectId,
      new Date(now),
    ]);
    return holder;
  }

  #hashTicket(ticket: string): Buffer {
    return this.#hash.digest('stream-ticket', ticket);
  }
}
