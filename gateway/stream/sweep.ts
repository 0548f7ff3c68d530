/**
 * The one timer of all Console sockets. Every second it ticks each of them (heartbeat, deadline of the first frame, expiry of
 * the credential: ten thousand cost a fraction of a millisecond); every ten seconds, and at once when an event says that a right was
 * withdrawn, it asks the database whether their credentials and memberships still stand. That question is one query for the
 * whole node; while the database is away the sockets stay, and it is asked again.
 */
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { memberName, type Fallen, type Standing } from '../../storage/tenancy/standing.ts';
import type { Admission } from './admission.ts';
import type { Feed } from './feed.ts';
import { closeCodes } from './frames.ts';
import type { Hub } from './hub.ts';

const tickMs = 1_000;
const ticksBetweenChecks = 10;

/** Events after which some socket of their project may have lost its right. */
const withdrawals: ReadonlySet<string> = new Set([
  'project.member.removed',
  'project.api_key.revoked',
  'project.api_key.rotated',
]);

export interface SweepOptions {
  readonly hub: Hub;
  readonly clock: Clock;
  readonly log: Log;
  /** storage/tenancy/standing.ts bound to a database. */
  readonly fallen: (asked: Standing, now: number) => Promise<Fallen>;
}

export class Sweep {
  readonly #options: SweepOptions;
  #ticks = 0;
  #checking = false;
  /** Asked to check while a check was under way, whose question may have been too early. */
  #again = false;
  #closed = false;

  constructor(options: SweepOptions) {
    this.#options = options;
    this.#tickLater();
  }

  /** An event was shown on some feed. */
  noticed(eventName: string): void {
    if (withdrawals.has(eventName)) this.#check();
  }

  /** Ends after the look that is under way. */
  close(): void {
    this.#closed = true;
  }

  #tickLater(): void {
    this.#options.clock.after(tickMs, () => {
      if (this.#closed) return;
      this.#tick();
      this.#tickLater();
    });
  }

  #tick(): void {
    const { hub, clock } = this.#options;
    const now = clock.now();
    const monotonic = clock.monotonic();
    for (const feed of hub.feeds) {
      // Backwards, because one that ends gives its place to the last.
      for (let i = feed.followers.length - 1; i >= 0; i--) feed.followers[i]?.tick(now, monotonic);
    }
    if (++this.#ticks % ticksBetweenChecks === 0) this.#check();
  }

  #check(): void {
    if (this.#checking) {
      this.#again = true;
      return;
    }
    this.#checking = true;
    void this.#askAndClose().finally(() => {
      this.#checking = false;
      if (!this.#again || this.#closed) return;
      this.#again = false;
      this.#check();
    });
  }

  async #askAndClose(): Promise<void> {
    const { hub, clock, log, fallen } = this.#options;
    const asked = gather(hub.feeds);
    if (asked === undefined) return;
    try {
      const gone = await fallen(asked, clock.now());
      if (gone.size === 0) return;
      for (const feed of hub.feeds) {
        for (let i = feed.followers.length - 1; i >= 0; i--) {
          const follower = feed.followers[i];
          const reason = follower === undefined ? undefined : lossOf(follower.admission, gone);
          if (reason !== undefined) follower?.end(reason.code, reason.text);
        }
      }
    } catch (error) {
      log.warn({ err: error }, 'console stream: standing could not be checked');
    }
  }
}

/** Everything that the open sockets stand on, each once; undefined when there are none. */
function gather(feeds: Iterable<Feed>): Standing | undefined {
  const sessionIds = new Set<string>();
  const apiKeyIds = new Set<string>();
  const members = new Map<string, { projectId: string; userId: string }>();
  for (const feed of feeds) {
    for (const { admission } of feed.followers) {
      const { projectId, userId, sessionId, apiKeyId } = admission;
      if (sessionId !== undefined) sessionIds.add(sessionId);
      if (apiKeyId !== undefined) apiKeyIds.add(apiKeyId);
      if (userId !== undefined) members.set(memberName(projectId, userId), { projectId, userId });
    }
  }
  if (sessionIds.size + apiKeyIds.size + members.size === 0) return undefined;
  return { sessionIds: [...sessionIds], apiKeyIds: [...apiKeyIds], members: [...members.values()] };
}

function lossOf(admission: Admission, gone: Fallen): { code: number; text: string } | undefined {
  const { projectId, userId, sessionId, apiKeyId } = admission;
  if ((sessionId !== undefined && gone.has(sessionId)) || (apiKeyId !== undefined && gone.has(apiKeyId))) {
    return { code: closeCodes.notAuthenticated, text: 'the credential was revoked' };
  }
  if (userId !== undefined && gone.has(memberName(projectId, userId))) {
    return { code: closeCodes.noMembership, text: 'no membership of the project any more' };
  }
  return undefined;
}
