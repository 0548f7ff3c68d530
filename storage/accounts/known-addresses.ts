/**
 * Where the account of an e-mail address has been signed in from lately. Whoever guesses at it from elsewhere may use up what is allowed to all
 * (docs/operate/rate-limits.md), and its owner signs in all the same.
 */
import type { Clock } from '../../runtime/time/index.ts';
import { type Database, TtlCache } from '../database/index.ts';
import { emailKey } from '../mail/index.ts';

/** Also sessions that were ended: their rows are there until a week after their 30 days (storage/retention/sweep.ts). */
const selectAddresses = `
  select coalesce(array_agg(distinct address), '{}') as addresses from (
    select s.address from sessions s join users u on u.user_id = s.user_id
    where u.email_key = $1 and s.expires_at > $2 and s.address is not null
    order by s.expires_at desc limit 100) recent`;

/** So that whoever signs in anew because their session has ended is known. Milliseconds. */
const afterEndMs = 7 * 86_400_000;

/** Milliseconds that an answer is used: guesses that are refused come often, and are to cost no query each. */
const maxAgeMs = 10_000;

export class KnownAddresses {
  readonly #found: TtlCache<readonly string[], string>;

  constructor(db: Pick<Database, 'query'>, clock: Clock) {
    this.#found = new TtlCache({
      clock,
      maxAgeMs,
      load: async (key: string) => {
        const parameters = [key, new Date(clock.now() - afterEndMs)];
        const [row] = await db.query<{ addresses: readonly string[] }>(
          selectAddresses,
          parameters,
          'sessions.known_addresses',
        );
        return row?.addresses ?? [];
      },
    });
  }

  /** The network addresses; none where nobody has the e-mail address, which takes as long. */
  async find(email: string): Promise<readonly string[]> {
    const key = emailKey(email);
    return (await this.#found.get(key, key)) ?? [];
  }
}
