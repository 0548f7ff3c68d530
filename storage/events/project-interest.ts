/**
 * Which projects nodes of the cluster follow, as far as this node has to know: events of a project that nobody follows are not published.
 *
 * A project counts as followed until NATS says that nobody subscribes to its topic. That is asked again from time to time, when there is
 * something to publish; and a node that begins to follow a project says so. What was held back in between is in the log, where
 * whoever follows is told to look.
 */
import type { Clock } from '../../runtime/time/index.ts';

/** How long an answer holds: late interest that was not heard of waits for so long at most. */
const followedForMs = 10_000;
const unfollowedForMs = 1_000;
/** Projects that are remembered; beyond it all are forgotten, and asked for again. */
const rememberedProjects = 10_000;

interface Interest {
  isFollowed: boolean;
  /** By the monotonic clock. */
  askedAt: number;
  /** Of the answers that come after this one was given: a question from before it is out of date. */
  version: number;
}

export interface ProjectInterestOptions {
  readonly clock: Clock;
  /** Whether any node subscribes to the project's topic. */
  readonly isHeard: (projectId: string) => Promise<boolean>;
  /** Somebody follows a project again of which events were not published. */
  readonly onMissed: (projectId: string) => void;
}

export class ProjectInterest {
  readonly #options: ProjectInterestOptions;
  readonly #projects = new Map<string, Interest>();

  constructor(options: ProjectInterestOptions) {
    this.#options = options;
  }

  /** Asked for each commit with events of the project. */
  isFollowed(projectId: string): boolean {
    const now = this.#options.clock.monotonic();
    let known = this.#projects.get(projectId);
    if (known === undefined) {
      if (this.#projects.size >= rememberedProjects) this.#projects.clear();
      known = { isFollowed: true, askedAt: -Infinity, version: 0 };
      this.#projects.set(projectId, known);
    }
    if (now - known.askedAt >= (known.isFollowed ? followedForMs : unfollowedForMs)) {
      known.askedAt = now;
      void this.#ask(projectId, known);
    }
    return known.isFollowed;
  }

  /** A node has begun to follow the project. */
  onFollowed(projectId: string): void {
    const known = this.#projects.get(projectId);
    if (known !== undefined) this.#set(projectId, known, true);
  }

  /** What was said meanwhile was not heard. */
  onOutage(): void {
    this.#projects.clear();
  }

  async #ask(projectId: string, known: Interest): Promise<void> {
    const { version } = known;
    const isFollowed = await this.#options.isHeard(projectId);
    if (known.version === version) this.#set(projectId, known, isFollowed);
  }

  #set(projectId: string, known: Interest, isFollowed: boolean): void {
    const wasFollowed = known.isFollowed;
    known.isFollowed = isFollowed;
    known.version++;
    if (isFollowed && !wasFollowed) this.#options.onMissed(projectId);
  }
}
