/**
 * A stitch without a node, a database or a receiver. Its decisions are taken one after the other. What they write goes into tables in memory
 * when the test commits, and their effects are done when the test says so.
 */
import { holdMs, schedules } from '../../../actors/stitch/schedule.ts';
import { newId } from '../../../protocol/ids.ts';
import type { Decision, Effect, Reminder } from '../../../runtime/actor/actor.ts';
import type { Write } from '../../../storage/statements/statement.ts';
import type {
  AttemptResult,
  CancelRequest,
  LoadOrder,
  SendBatch,
  StitchCommands,
} from '../../../actors/stitch/commands.ts';
import { createStitches } from '../../../actors/stitch/kind.ts';
import { emptyQueue, type Delivery, type Released } from '../../../actors/stitch/queue.ts';
import { toOutcome } from '../../../actors/stitch/window.ts';
import type { OwnerNotification, ReplayJob, StitchState } from '../../../actors/stitch/state.ts';
import type { EnvironmentKind } from '../../../protocol/resources/project.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { systemRandom } from '../../../runtime/time/clock.ts';
import { FollowedLog } from '../../../storage/deliveries/followed-log.ts';
import { Tables, type Row } from './stitch-tables.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const unused = (): never => {
  throw new Error('a decision does what it may not');
};
const { kind } = createStitches({
  db: { query: unused },
  followedLog: new FollowedLog({ query: unused }),
  pool: { send: unused },
  vault: { open: unused },
  archived: { has: () => false },
  clock: new VirtualClock(),
  random: systemRandom,
  log: silentLog,
  notifyOwner: unused,
});

export const tenancy = { projectId: newId('project'), environmentId: newId('environment') };
const author = { type: 'user', id: newId('user') } as const;

/** What a receiver answers. */
export type Outcome = Pick<AttemptResult, 'status' | 'failure'> & { readonly retryAfter?: string };
export const ok: Outcome = { status: 200, failure: null };
export const error: Outcome = { status: 500, failure: null };
export const gone: Outcome = { status: 410, failure: null };
export const down: Outcome = { status: null, failure: 'connect' };

interface Commit {
  readonly state: StitchState | undefined;
  readonly decision: Decision<StitchState, unknown, Write>;
  readonly reminder: Reminder | undefined;
  readonly then: (reply: unknown) => void;
}

type Name = keyof StitchCommands & string;

export class StitchHarness {
  readonly id = newId('stitch');
  readonly tables = new Tables();
  /** What the owner was told, and what is about to be. */
  readonly ownerNews: OwnerNotification[] = [];
  telling: OwnerNotification[] = [];
  readonly reminders = new Map<string, Reminder>();
  now = Date.parse('2026-11-20T12:00:00.000Z');
  state: StitchState = kind.initialState(this.id);
  committed: StitchState = this.state;
  /** Answered deliveries of which the actor has not heard yet. */
  late: Pick<StitchCommands['progress']['payload'], 'answered' | 'answers'>[] = [];
  /** Decided and not yet committed; in order. */
  commits: Commit[] = [];
  /** Loads that have been asked for, and loads that have been read and not been given back. */
  loads: LoadOrder[] = [];
  read: StitchCommands['loaded']['payload'][] = [];
  /** Requests that are out. */
  out: { readonly order: SendBatch; readonly delivery: Delivery; readonly at: number }[] = [];
  cancels: CancelRequest[] = [];
  /** What was open when the stitch was stopped: none of it may be sent any more. */
  readonly stopped = new Set<string>();
  /** Pages of replays that were asked for. */
  replays: ReplayJob[] = [];
  /** The largest number of requests that were out at once. */
  #next = 1;

  constructor(environmentKind: EnvironmentKind = 'sandbox') {
    this.do('create', {
      ...tenancy,
      environmentKind,
      name: 'A stitch',
      webhookUrl: 'https://receiver.example/hook',
      eventNames: [],
      metadata: {},
      jwe: 'sealed',
      limit: 10,
    });
    this.acknowledge();
  }

  get rows(): ReadonlyMap<string, Row> {
    return this.tables.rows;
  }

  get open(): Row[] {
    return this.tables.open;
  }

  get events(): Tables['events'] {
    return this.tables.events;
  }

  get acts(): Tables['acts'] {
    return this.tables.acts;
  }

  get attempts(): Tables['attempts'] {
    return this.tables.attempts;
  }

  get schedule(): readonly number[] {
    return schedules[this.state.environmentKind];
  }

  /** Takes one turn; `then` hears its reply once it is certain. A refusal is thrown and changes nothing. */
  do<N extends Name>(
    name: N,
    payload: StitchCommands[N]['payload'],
    then: (reply: StitchCommands[N]['reply']) => void = () => undefined,
    reminder?: Reminder,
  ): void {
    const turn = { now: this.now, id: this.id };
    const before = frozen(this.state);
    const decision = kind.decide[name](before, frozen(payload), turn);
    const next = decision.state ?? this.state;
    const rows = [...(decision.writes ?? []), ...(decision.remind ?? []), ...(decision.forget ?? [])];
    if (decision.transient === true) {
      if (rows.length > 0) throw new Error(`${name} is transient and has rows`);
      if (!isSameRow(this.state, next)) throw new Error(`${name} is transient and changes the row`);
      this.state = next;
      this.#start(decision.effects ?? []);
      then(decision.reply as never);
      return;
    }
    const changed = next !== this.state;
    this.state = next;
    if (!changed && rows.length === 0 && reminder === undefined && this.commits.length === 0) {
      this.#start(decision.effects ?? []);
      then(decision.reply as never);
      return;
    }
    const state = changed ? next : undefined;
    this.commits.push({
      state,
      decision: decision as Commit['decision'],
      reminder,
      then: then as Commit['then'],
    });
  }

  #noteStop(): void {
    for (const { deliveryId } of this.open) this.stopped.add(deliveryId);
  }

  /** The oldest commits are acknowledged. */
  acknowledge(count = Infinity): void {
    for (const commit of this.commits.splice(0, count)) {
      const { state, decision, reminder, then } = commit;
      for (const write of decision.writes ?? []) this.tables.write(write, this.now);
      if (state !== undefined) {
        if (state.stops > this.committed.stops) this.#noteStop();
        this.committed = state;
        this.tables.keep(state);
      }
      if (reminder !== undefined && this.reminders.get(reminder.key)?.at === reminder.at) {
        this.reminders.delete(reminder.key);
      }
      for (const set of decision.remind ?? []) this.reminders.set(set.key, set);
      this.#start(decision.effects ?? []);
      then(decision.reply);
    }
  }

  /** Events that this stitch wants are committed; the wake may be lost. */
  emit(threads: readonly (string | null)[], wakes = true): void {
    for (const threadId of threads) this.insert({ threadId, eventSeq: this.#next++, trigger: 'scheduled' });
    if (wakes) this.do('wake', {});
  }

  insert(given: Pick<Delivery, 'threadId' | 'eventSeq' | 'trigger'>): void {
    this.tables.insert(given, this.now);
  }

  /** A load that was asked for reads the tables as they are. */
  readTables(): void {
    const request = this.loads.shift();
    if (request !== undefined) this.read.push(this.tables.read(request, this.now));
  }

  /** What was read is given back. */
  loaded(): void {
    const page = this.read.shift();
    if (page !== undefined) this.do('loaded', page);
  }

  /** Requests that are out are answered. `late`: the report of them looks for the actor, and later reports overtake it. */
  answer(count: number, outcome: (delivery: Delivery) => Outcome, jitter = 0.5, late = false): void {
    const answered = this.out.splice(0, count);
    if (answered.length === 0) return;
    const results = answered.map(({ order, delivery, at }) => ({
      delivery,
      at,
      stops: order.stops,
      durationMs: this.now - at,
      body: '',
      error: null,
      jitter,
      ...outcome(delivery),
    }));
    this.late.push({
      answered: answered.map(({ delivery }) => delivery.deliveryId),
      answers: results.map(({ at, durationMs, status, failure }) => ({
        at,
        durationMs,
        outcome: toOutcome(status, failure),
      })),
    });
    if (!late) this.hear();
    this.do('settled', { results }, (released: readonly Released[]) => {
      this.do('progress', { answered: [], released });
    });
  }

  /** The report of answers arrives. */
  hear(): void {
    for (const report of this.late.splice(0)) this.do('progress', { ...report, released: [] });
  }

  /** The work of the task `cancel`. */
  cancel(): void {
    const order = this.cancels.shift();
    if (order === undefined) return;
    if (order.until === this.committed.cancelUntil) {
      for (const row of this.open) {
        const isMeant = row.trigger === 'scheduled' || row.createdAt <= order.until;
        const hasBegun = order.except.some(
          ({ deliveryId, attempts }) => deliveryId === row.deliveryId && attempts === row.attempts,
        );
        if (row.hasRow && isMeant && !hasBegun) row.status = 'cancelled';
      }
    }
    this.do('cancelled', { until: order.until, ...(order.except.length > 0 && { partly: true }) });
  }

  /** What the task `cancel` begins with: some of what is out was still in the queue of the node, and is not sent. */
  withdraw(count: number): void {
    const [order] = this.cancels;
    if (order === undefined) return;
    const unsent = this.out.filter(each => each.order.stops !== order.stops).slice(0, count);
    if (unsent.length === 0) return;
    this.out = this.out.filter(each => !unsent.includes(each));
    this.do('postpone', { deliveryIds: unsent.map(({ delivery }) => delivery.deliveryId) });
  }

  /** The work of the task `notifyOwner`. */
  notifyOwner(): void {
    const notification = this.telling.shift();
    if (notification === undefined) return;
    this.ownerNews.push(notification);
    this.do('ownerTold', { eventId: notification.eventId });
  }

  /** The process dies: what was not committed never happened, and what was out is not heard of again. */
  crash(): void {
    Object.assign(this, {
      commits: [],
      loads: [],
      read: [],
      out: [],
      late: [],
      cancels: [],
      telling: [],
      replays: [],
    });
    this.state = { ...this.committed, queue: { ...emptyQueue, next: this.committed.settledSeq + 1 } };
    this.do('sweep', {});
  }

  /** Due reminders are delivered. */
  remind(): void {
    for (const reminder of [...this.reminders.values()]) {
      if (reminder.at > this.now || this.commits.some(commit => commit.reminder === reminder)) continue;
      this.do(reminder.command as 'due', reminder.payload, undefined, reminder);
    }
  }

  /** Everything that can happen without an answer or the passing of time happens. */
  settle(): void {
    for (let rounds = 0; rounds < 1_000; rounds++) {
      this.remind();
      this.hear();
      const tasks = this.loads.length + this.read.length + this.cancels.length + this.telling.length;
      if (this.commits.length + tasks === 0) return;
      this.acknowledge();
      this.readTables();
      this.loaded();
      this.cancel();
      this.notifyOwner();
    }
    throw new Error('the stitch does not come to rest');
  }

  /** Time passes, reminder by reminder. */
  pass(ms: number, outcome?: (delivery: Delivery) => Outcome): void {
    const end = this.now + ms;
    for (;;) {
      this.settle();
      if (outcome !== undefined && this.out.length > 0) {
        this.answer(this.out.length, outcome);
        continue;
      }
      const next = Math.min(...[...this.reminders.values()].map(({ at }) => at));
      if (next > end) break;
      this.now = Math.max(this.now, next);
    }
    this.now = end;
    this.settle();
  }

  update(changes: StitchCommands['update']['payload']['changes']): void {
    this.do('update', { ...tenancy, author, changes });
  }

  #start(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.do === 'tell') this.do(effect.command as Name, effect.payload as never);
      else if (effect.task === 'load') this.loads.push(effect.payload as LoadOrder);
      else if (effect.task === 'send') this.#send(effect.payload as SendBatch);
      else if (effect.task === 'cancel') this.cancels.push(effect.payload as CancelRequest);
      else if (effect.task === 'replay') this.replays.push(effect.payload as ReplayJob);
      else if (effect.task === 'notifyOwner') this.telling.push(effect.payload as OwnerNotification);
      else throw new Error(`no task ${effect.task}`);
    }
  }

  /** Checks the rules of order at the moment when requests go out. */
  #send(order: SendBatch): void {
    for (const delivery of order.deliveries) {
      const row = this.rows.get(delivery.deliveryId);
      const { deliveryId, threadId, eventSeq } = delivery;
      if (row === undefined) throw new Error('a delivery of no event');
      if (row.status !== 'pending' && row.status !== 'retrying') throw new Error(`sent again: ${row.status}`);
      if (this.stopped.has(deliveryId)) throw new Error(`${eventSeq} is sent though it was open at a stop`);
      if (row.hasRow !== delivery.hasRow) throw new Error('it is not known whether it has a row');
      if (row.status === 'retrying' && (row.nextAttemptAt ?? 0) > this.now)
        throw new Error('a retry too early');
      if (delivery.attempts !== row.attempts) throw new Error('the attempts are counted wrongly');
      if (this.out.some(({ delivery: { deliveryId } }) => deliveryId === delivery.deliveryId)) {
        throw new Error('out twice');
      }
      if (threadId !== null) {
        if (this.out.some(other => other.delivery.threadId === threadId)) {
          throw new Error('two of one thread are out');
        }
        for (const other of this.open) {
          if (other.threadId !== threadId || other.eventSeq >= eventSeq || other.trigger !== 'scheduled')
            continue;
          // The receiver has the event by a replay.
          const again = [...this.rows.values()].filter(row => row.eventSeq === other.eventSeq);
          if (again.some(({ status }) => status === 'delivered')) continue;
          const passed = other.firstAttemptAt !== null && this.now >= other.firstAttemptAt + holdMs;
          if (!passed) throw new Error(`${eventSeq} overtakes ${other.eventSeq}`);
        }
      }
      this.out.push({ order, delivery, at: this.now });
    }
    const { size } = this.state.queue.window;
    if (this.out.length > size) throw new Error(`${this.out.length} are out at once, of ${size}`);
  }
}

/** Whether both have the same snapshot, which keeps no queue. Nearly all fields are the same objects; as texts they were a tenth of all work here. */
function isSameRow({ queue: _, ...before }: StitchState, { queue: __, ...after }: StitchState): boolean {
  const names = Object.keys({ ...before, ...after }) as (keyof typeof before)[];
  return names.every(
    name => before[name] === after[name] || JSON.stringify(before[name]) === JSON.stringify(after[name]),
  );
}

/** So that a decision that changes its state or payload in place fails. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    if (value instanceof Map)
      for (const name of ['set', 'delete', 'clear']) Object.assign(value, { [name]: unused });
    Object.freeze(value);
    const members = value instanceof Map ? value.values() : Object.values(value);
    for (const member of members) frozen(member);
  }
  return value;
}
