/**
 * Automatic assignment: gives threads that wait for somebody to operators who are online and have room, in turn.
 *
 * Every node notes who has a Console stream open on it, in projects that want this. One node of the cluster makes the passes: it reads
 * who is free and which threads wait, and proposes an operator to each thread, whose turn decides. A pass ends when all have answered, and the
 * next one counts what it has assigned: so nobody is given more than they have room for. Only while the passes change from one node to
 * another, or when people assign threads at the same moment, an operator may get as many too many as one pass gives them.
 *
 * A thread waits in the database, so that a crash loses nothing, and who comes online later finds it. A project that does not want it costs
 * nothing: no message and no thread asks for it.
 */
import { agentAloneMs, type AssignAutomatically } from '../../actors/thread/index.ts';
import { access } from '../../protocol/operations/index.ts';
import type { Node } from '../../runtime/node/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import type { Clock } from '../../runtime/time/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { listWaitingThreads, type WaitingThread } from '../../storage/reads/index.ts';
import {
  type FreeOperator,
  listAssigningProjects,
  listFreeOperators,
  listProjectEnvironments,
  moveTurns,
  noteOperators,
  type OnlineOperator,
} from '../../storage/tenancy/index.ts';

const intervalMs = 1_000;
/** How long an operator counts as online after their node has last said so, and after their last stream has ended: a page may be reloading. */
const onlineMs = 30_000;
const leavingMs = 5_000;
/** How often a node says so. */
const heartbeatMs = 10_000;
/** Projects of one pass, and threads that wait of which one pass looks, for each environment. The next pass goes on from there. */
const projectsPerPass = 200;
const threadsPerPass = 1_000;
/** Threads that are asked concurrently. */
const concurrentAsks = 50;

export interface AssignerOptions {
  readonly database: Pick<Database, 'query'>;
  readonly node: Pick<Node, 'ask' | 'isLeader'>;
  /** Whoever has a Console stream open on this node, any number of times. */
  readonly listOnline: () => Iterable<OnlineOperator>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

/** @returns stops it; resolves when a running pass has ended */
export function startAssigner(options: AssignerOptions): () => Promise<void> {
  const presence = new Presence(options);
  const assigner = new Assigner(options);
  const work = async (): Promise<void> => {
    await presence.note();
    if (options.node.isLeader) await assigner.pass();
  };
  let working: Promise<void> | undefined;
  const timer = setInterval(() => {
    working ??= work()
      .catch((err: unknown) => options.log.warn({ err }, 'threads could not be assigned; will retry'))
      .finally(() => (working = undefined));
  }, intervalMs);
  return () => {
    clearInterval(timer);
    return working ?? Promise.resolve();
  };
}

/** Notes in the database who is online on this node: who comes and who goes at once, the others from time to time. */
class Presence {
  readonly #options: AssignerOptions;
  #known = new Map<string, OnlineOperator>();
  #saidAt = -Infinity;

  constructor(options: AssignerOptions) {
    this.#options = options;
  }

  async note(): Promise<void> {
    const { database, listOnline, clock } = this.#options;
    const now = clock.now();
    const online = new Map<string, OnlineOperator>();
    for (const each of listOnline()) online.set(`${each.projectId} ${each.userId}`, each);
    const isDue = Math.abs(now - this.#saidAt) >= heartbeatMs;
    const said = [...online].filter(([key]) => isDue || !this.#known.has(key)).map(([, each]) => each);
    const gone = [...this.#known].filter(([key]) => !online.has(key)).map(([, each]) => each);
    await noteOperators(database, said, 'online', new Date(now + onlineMs));
    await noteOperators(database, gone, 'gone', new Date(now + leavingMs));
    this.#known = online;
    if (isDue) this.#saidAt = now;
  }
}

/** A thread that waits, and whether only those may get it whose e-mail is verified. */
interface FreeThread extends WaitingThread {
  readonly environmentId: string;
  readonly isProduction: boolean;
}

interface Proposal<Thread> {
  readonly thread: Thread;
  readonly userId: string;
}

/**
 * Who gets which thread: each goes to the first operator who has room and may see it, who comes last then. So with room enough nobody gets a second
 * one before all the others have one.
 */
export function distribute<Thread extends Pick<FreeThread, 'isProduction'>>(
  operators: readonly FreeOperator[],
  threads: readonly Thread[],
): Proposal<Thread>[] {
  const queue = [...operators];
  const proposals: Proposal<Thread>[] = [];
  for (const thread of threads) {
    const index = queue.findIndex(({ room, isVerified }) => room > 0 && (isVerified || !thread.isProduction));
    const [operator] = index < 0 ? [] : queue.splice(index, 1);
    if (operator === undefined) continue;
    proposals.push({ thread, userId: operator.userId });
    queue.push({ ...operator, room: operator.room - 1 });
  }
  return proposals;
}

const beginning = { threadId: '', waitingSince: new Date(0) };

export class Assigner {
  readonly #options: Omit<AssignerOptions, 'listOnline'>;
  #afterProject = '';
  /** Where the next pass goes on, of environments whose threads that have waited the longest are all taken. */
  readonly #positions = new Map<string, Pick<WaitingThread, 'threadId' | 'waitingSince'>>();

  constructor(options: Omit<AssignerOptions, 'listOnline'>) {
    this.#options = options;
  }

  /** A project that fails does not stop the others. */
  async pass(): Promise<void> {
    const { database, clock, log } = this.#options;
    const now = new Date(clock.now());
    const projects = await listAssigningProjects(database, now, this.#afterProject, projectsPerPass);
    this.#afterProject = projects.length < projectsPerPass ? '' : (projects.at(-1) ?? '');
    for (const projectId of projects) {
      try {
        await this.#assignIn(projectId, now);
      } catch (err) {
        log.warn({ err, projectId }, 'the threads of a project could not be assigned; will retry');
      }
    }
  }

  async #assignIn(projectId: string, now: Date): Promise<void> {
    const { database } = this.#options;
    const operators = await listFreeOperators(database, projectId, now, access.writeThreads);
    if (operators.length === 0) return;
    const threads: FreeThread[] = [];
    for (const { environmentId, kind } of await listProjectEnvironments(database, projectId)) {
      for (const thread of await this.#listFree(projectId, environmentId, now)) {
        threads.push({ ...thread, environmentId, isProduction: kind === 'production' });
      }
    }
    threads.sort((a, b) => a.waitingSince.getTime() - b.waitingSince.getTime());
    const proposals = distribute(operators, threads);
    for (let from = 0; from < proposals.length; from += concurrentAsks) {
      await this.#propose(projectId, proposals.slice(from, from + concurrentAsks));
    }
  }

  async #listFree(projectId: string, environmentId: string, now: Date): Promise<WaitingThread[]> {
    const { database } = this.#options;
    const after = this.#positions.get(environmentId) ?? beginning;
    const agentUntil = new Date(now.getTime() - agentAloneMs);
    const tenant = { projectId, environmentId };
    const waiting = await listWaitingThreads(database, tenant, after, agentUntil, threadsPerPass);
    const [last] = waiting;
    if (waiting.length === 1 && last?.isFree === false) this.#positions.set(environmentId, last);
    else this.#positions.delete(environmentId);
    return waiting.filter(({ isFree }) => isFree);
  }

  /** The turns are moved after the commits: a crash in between makes one round a little unfair. */
  async #propose(projectId: string, proposals: readonly Proposal<FreeThread>[]): Promise<void> {
    const { database, node, log } = this.#options;
    const outcomes = await Promise.allSettled(
      proposals.map(({ thread: { threadId, environmentId }, userId }) => {
        const command: AssignAutomatically = { projectId, environmentId, userId };
        return node.ask<boolean>({ kind: 'thread', id: threadId }, 'assignAutomatically', command);
      }),
    );
    const given = new Set<string>();
    outcomes.forEach((outcome, index) => {
      const userId = proposals[index]?.userId ?? '';
      if (outcome.status === 'rejected') {
        log.warn({ err: outcome.reason as unknown, projectId }, 'a thread could not be assigned; will retry');
      } else if (outcome.value) {
        // Each once, where they come last.
        given.delete(userId);
        given.add(userId);
      }
    });
    await moveTurns(database, projectId, [...given]);
  }
}
