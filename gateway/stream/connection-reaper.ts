/**
 * The one timer of all Console sockets. Every second it ticks each of them (heartbeat, deadline of the first frame, expiry of the
 * credential; ten thousand sockets cost a fraction of a millisecond). Every ten seconds, and at once when an event says that access
 * was withdrawn, it asks the database whether their credentials and memberships are still valid: one query for the whole node. While
 * the database is away the sockets stay open, and the query is repeated.
 */
import type { Clock } from '../../runtime/time/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import {
  type CheckedCredentials,
  type CheckedMember,
  type RevokedCredentials,
  toChangedKey,
  toMemberKey,
} from '../../storage/tenancy/index.ts';
import type { Admission } from './admission.ts';
import type { ProjectStream } from './project-stream.ts';
import { closeCodes } from './frames.ts';
import type { Hub } from './hub.ts';

const tickMs = 1_000;
const ticksBetweenChecks = 10;

/** Events after which a socket of their project may have lost its access. */
const revokingEvents: ReadonlySet<string> = new Set([
  'project.member.upserted',
  'project.member.removed',
  'project.role.upserted',
  'project.role.removed',
  'project.api_key.revoked',
  'project.api_key.rotated',
]);

export interface ConnectionReaperOptions {
  readonly hub: Hub;
  readonly clock: Clock;
  readonly log: Log;
  /** storage/tenancy/credential-check.ts bound to a database. */
  readonly findRevokedCredentials: (asked: CheckedCredentials, now: number) => Promise<RevokedCredentials>;
}

export class ConnectionReaper {
  readonly #options: ConnectionReaperOptions;
  #ticks = 0;
  #checking = false;
  /** A check was requested while another one ran, which may have asked too early. */
  #again = false;
  #closed = false;

  constructor(options: ConnectionReaperOptions) {
    this.#options = options;
    this.#tickLater();
  }

  /** An event was published on some stream. */
  onEvent(eventName: string): void {
    if (revokingEvents.has(eventName)) this.#check();
  }

  /** Stops after the check that is running. */
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
    for (const stream of hub.streams) {
      // Backwards, because the last follower moves into the place of one that ends.
      for (let i = stream.followers.length - 1; i >= 0; i--) stream.followers[i]?.tick(now, monotonic);
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
    const { hub, clock, log, findRevokedCredentials } = this.#options;
    const asked = collectCredentials(hub.streams);
    if (asked === undefined) return;
    try {
      const gone = await findRevokedCredentials(asked, clock.now());
      if (gone.size === 0) return;
      for (const stream of hub.streams) {
        for (let i = stream.followers.length - 1; i >= 0; i--) {
          const follower = stream.followers[i];
          const reason = follower === undefined ? undefined : getRevocation(follower.admission, gone);
          if (reason !== undefined) follower?.end(reason.code, reason.text);
        }
      }
    } catch (error) {
      log.warn({ err: error }, 'console stream: could not check credentials; will retry');
    }
  }
}

/** The credentials and memberships of all open sockets, each once; undefined when there are none. */
function collectCredentials(streams: Iterable<ProjectStream>): CheckedCredentials | undefined {
  const sessionIds = new Set<string>();
  const apiKeyIds = new Set<string>();
  const members = new Map<string, CheckedMember>();
  for (const stream of streams) {
    for (const { admission } of stream.followers) {
      const { sessionId, apiKeyId } = admission;
      const member = getMember(admission);
      if (sessionId !== undefined) sessionIds.add(sessionId);
      if (apiKeyId !== undefined) apiKeyIds.add(apiKeyId);
      if (member !== undefined) members.set(toChangedKey(member), member);
    }
  }
  if (sessionIds.size + apiKeyIds.size + members.size === 0) return undefined;
  return { sessionIds: [...sessionIds], apiKeyIds: [...apiKeyIds], members: [...members.values()] };
}

function getMember({ projectId, userId, roles }: Admission): CheckedMember | undefined {
  return userId === undefined || roles === undefined ? undefined : { projectId, userId, roles };
}

function getRevocation(
  admission: Admission,
  gone: RevokedCredentials,
): { code: number; text: string } | undefined {
  const { sessionId, apiKeyId } = admission;
  const member = getMember(admission);
  if ((sessionId !== undefined && gone.has(sessionId)) || (apiKeyId !== undefined && gone.has(apiKeyId))) {
    return { code: closeCodes.notAuthenticated, text: 'the credential was revoked' };
  }
  if (member !== undefined && gone.has(toMemberKey(member.projectId, member.userId))) {
    return { code: closeCodes.noMembership, text: 'no longer a member of the project' };
  }
  if (member !== undefined && gone.has(toChangedKey(member))) {
    return { code: closeCodes.rolesChanged, text: 'the roles have changed: resume' };
  }
  return undefined;
}
