/**
 * The stitches of one node: production's actor with its tasks, what wakes it, and the scanners that find what was not woken
 * (gateway/composition/actors.ts puts them together in the same way).
 */
import { createStitches, type Stitches } from '../../actors/stitch/kind.ts';
import type { CancelRequest, SendBatch } from '../../actors/stitch/commands.ts';
import { wakeStitches, type Waker } from '../../actors/stitch/wake.ts';
import { findPages, type Pages, RecoveryScanner } from '../../gateway/jobs/recovery-scanner.ts';
import { derivedId } from '../../protocol/ids.ts';
import type { ActorRef, AnyActorKind, TaskContext } from '../../runtime/actor/actor.ts';
import type { Node } from '../../runtime/node/node.ts';
import type { Log } from '../../runtime/observability/log.ts';
import type { Random } from '../../runtime/time/clock.ts';
import { FollowedLog } from '../../storage/deliveries/followed-log.ts';
import { StitchesBehind } from '../../storage/deliveries/behind.ts';
import {
  stitchesWithRetries,
  stitchesWithRows,
  unfinishedStitches,
} from '../../storage/deliveries/unfinished.ts';
import type { CommitNotifier } from '../../storage/events/commit-notifier.ts';
import { ArchivedProjects } from '../../storage/tenancy/archived-projects.ts';
import { projects } from './database.ts';
import type { Machine } from './machine.ts';
import type { Simulation } from './simulation.ts';
import { attemptTimeoutMs } from './webhook-endpoint.ts';

/** Those that there are: of each project one that wants everything, and one that wants some of it. */
export const stitches = projects.flatMap(projectId =>
  (['all', 'some'] as const).map(wants => ({ id: derivedId('stitch', projectId, wants), projectId, wants })),
);

export const stitchRef = (id: string): ActorRef => ({ kind: 'stitch', id });

export interface NodeStitchesOptions {
  readonly simulation: Simulation;
  readonly machine: Machine;
  readonly notifier: CommitNotifier;
  readonly random: Random;
  readonly log: Log;
}

export class NodeStitches {
  readonly kind: AnyActorKind;
  readonly #options: NodeStitchesOptions;
  readonly #stitches: Stitches;
  readonly #db;
  readonly #followedLog: FollowedLog;
  #scanners: readonly RecoveryScanner[] = [];
  #waker: Waker | undefined;
  #behind: StitchesBehind | undefined;

  constructor(options: NodeStitchesOptions) {
    this.#options = options;
    const { simulation, machine, random, log } = options;
    const db = simulation.database.deliveries.queriesFor(machine);
    this.#db = db;
    this.#followedLog = new FollowedLog(db, machine);
    this.#stitches = createStitches({
      db,
      followedLog: this.#followedLog,
      pool: simulation.endpoints.createQueue(machine),
      vault: { open: () => Promise.resolve('secret') },
      archived: new ArchivedProjects(db, machine),
      clock: machine,
      random,
      log,
      attemptTimeoutMs,
      atTurnEnd: callback => machine.after(0, callback),
      notifyOwner: () => Promise.resolve(),
    });
    this.kind = this.#noted(this.#stitches.kind);
  }

  /** Called once, before the node starts. */
  attach(node: Pick<Node, 'owns' | 'tell'>): void {
    const { simulation, machine, notifier, log } = this.#options;
    const { faults } = simulation;
    const db = this.#db;
    const create = (find: () => Pages, command: string, payload: object): RecoveryScanner =>
      new RecoveryScanner({
        find,
        isOwned: id => node.owns(stitchRef(id)),
        wake: id => node.tell(stitchRef(id), command, payload),
        clock: machine,
        log,
      });
    const pages = (find: typeof unfinishedStitches) => (): Pages =>
      findPages((limit, after) => find(db, limit, after));
    const behind = new StitchesBehind(db, this.#followedLog);
    this.#behind = behind;
    notifier.addListener({
      onAppended(stretches) {
        for (const appended of stretches) behind.add(appended);
      },
    });
    this.#scanners = [
      create(() => behind.find(), 'sweep', {}),
      create(pages(unfinishedStitches), 'resume', {}),
      create(pages(stitchesWithRows), 'wake', { from: 0 }),
      create(pages(stitchesWithRetries), 'probe', {}),
    ];
    this.#waker = wakeStitches({
      notifier,
      followedLog: this.#followedLog,
      tell: (to, command, payload) => {
        if (faults.strikes('lost wake-up', 0.2)) return faults.fired('lost wake-up');
        node.tell(to, command, payload);
      },
      scan: () => this.#scanners[0]?.scanSoon('all'),
      clock: machine,
      log,
    });
  }

  /** The log has gone back. */
  reset(): void {
    this.#followedLog.reset();
    this.#behind?.reset();
  }

  /** The node has taken shards. */
  onShardsTaken(): void {
    for (const scanner of this.#scanners) scanner.scanSoon('owned');
  }

  /** Before the node drains. */
  drain(): void {
    for (const scanner of this.#scanners) scanner.stop();
    this.#waker?.stop();
    this.#stitches.drain();
  }

  /**
   * What a stitch is about to send is noted when it has been decided; so is what it is told of results, and that its node is told to withdraw
   * what waits for its turn.
   */
  #noted(kind: Stitches['kind']): AnyActorKind {
    const { simulation, machine } = this.#options;
    const { owed } = simulation.database;
    const send = kind.tasks?.['send'] as (batch: SendBatch, context: TaskContext) => Promise<void>;
    const cancel = kind.tasks?.['cancel'] as (order: CancelRequest, context: TaskContext) => Promise<void>;
    const { progress } = kind.decide;
    const noteHeard: typeof progress = (state, payload, turn) => {
      owed.hears(machine.name, turn.id, payload.released);
      return progress(state, payload, turn);
    };
    return {
      ...kind,
      decide: {
        ...kind.decide,
        progress: noteHeard,
      },
      tasks: {
        ...kind.tasks,
        cancel: (order: CancelRequest, context: TaskContext) => {
          owed.withdraws(machine.name, context.self.id, order.stops);
          return cancel(order, context);
        },
        send: (batch: SendBatch, context: TaskContext) => {
          const { id } = context.self;
          simulation.tell(
            () => `${machine.name} sends ${batch.deliveries.map(describe).join(', ')} to ${id}`,
          );
          owed.starts(machine.name, id, batch);
          return send(batch, context);
        },
      },
    };
  }
}

function describe({ eventSeq, threadId, attempts, trigger }: SendBatch['deliveries'][number]): string {
  const thread = threadId === null ? '' : ` of ${threadId}`;
  return `${eventSeq}${thread} (${trigger}${attempts === 0 ? '' : `, after ${attempts}`})`;
}
