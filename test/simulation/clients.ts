/**
 * Clients that do what the contract tells them to: they repeat a request under the same key, on any node, until they know what
 * became of it, and some give up. What they asked for and what they were told is the history.
 */
import { ServiceError } from '../../protocol/errors.ts';
import type { ActorRef } from '../../runtime/actor/actor.ts';
import type { UnavailableReason } from '../../runtime/actor/failures.ts';
import type { Random } from '../../runtime/time/clock.ts';
import { getShard } from '../../runtime/placement/shards.ts';
import type { Look, Operation } from '../support/history.ts';
import { conversationRef, conversations, ledgerRef, ledgers, notes } from './conversation.ts';
import type { Fleet } from './fleet.ts';
import { limits, type Member } from './member.ts';
import { shardCount } from './simulation.ts';

const timeoutMs = 4_000;
/** An answer is on its way no longer than this. */
const longestWayMs = 10_000;
/** Tries that were all refused, after which a client gives up. */
const maxRefusals = 12;

/** What a client heard of one try. */
type Answer =
  /** `isCertain`: it was decided when its node had noticed the last failover of the database. */
  | { readonly is: 'ok'; readonly value: unknown; readonly isCertain: boolean; readonly timeline: number }
  | { readonly is: 'refused'; readonly code: string; readonly reason: unknown }
  | { readonly is: 'unknown' };

interface Wish {
  readonly to: ActorRef;
  readonly command: string;
  readonly payload: object;
  /** The log that it goes into, and what goes there. */
  readonly actor: string;
  readonly mark: string;
}

interface Try {
  readonly answer: Answer;
  /** The actor lived on the node that was asked. */
  readonly wasLocal: boolean;
}

/**
 * The command may have been done, or be done yet. So it is with `no_owner`: of two nodes that heard an ask, one may have said that
 * it is not the owner, and the other be at work on it.
 */
const doubtfulReasons: ReadonlySet<string> = new Set([
  'deadline',
  'connection',
  'no_owner',
] satisfies UnavailableReason[]);

const unknown: Answer = { is: 'unknown' };

export class Clients {
  readonly operations: Operation[] = [];
  readonly looks: Look[] = [];
  readonly #fleet: Fleet;
  readonly #random: Random;
  readonly #running: Promise<unknown>;
  #stopped = false;
  #marks = 0;
  #attempts = 0;
  #busy = 0;

  constructor(fleet: Fleet, count: number) {
    this.#fleet = fleet;
    this.#random = fleet.simulation.random('clients');
    this.#running = Promise.all(Array.from({ length: count }, (_, i) => this.#run(`client-${i + 1}`)));
  }

  /** Wishes under way. */
  get busy(): number {
    return this.#busy;
  }

  /** No more wishes; those under way are seen through. */
  stop(): void {
    this.#stopped = true;
  }

  get done(): Promise<unknown> {
    return this.#running;
  }

  /** Keeps what was acknowledged. Call the returned function when the database has lost what came since. */
  snapshot(): () => void {
    const { length } = this.looks;
    return () => {
      this.looks.length = length;
      for (const [at, operation] of this.operations.entries()) {
        if (operation.outcome !== 'ok' || this.#isThere(operation)) continue;
        this.operations[at] = { ...operation, outcome: 'unknown' };
      }
    };
  }

  #isThere({ actor, id }: Pick<Operation, 'actor' | 'id'>): boolean {
    const { rows } = this.#fleet.simulation.database;
    if (actor === notes) return rows.writes.some(({ key }) => key === id);
    const ref = (ledgers as readonly string[]).includes(actor) ? ledgerRef(actor) : conversationRef(actor);
    return (
      (rows.read(ref)?.state as { readonly marks: readonly string[] } | undefined)?.marks.includes(id) ??
      false
    );
  }

  /** The answer may be of what the database has lost. */
  #isOutdated(answer: Answer): boolean {
    if (answer.is !== 'ok') return false;
    return !answer.isCertain || answer.timeline !== this.#fleet.simulation.database.timeline;
  }

  /** Whether every node that may have decided the command had noticed the last failover when the command came. */
  #isCertain(member: Member, wasLocal: boolean, arrivedAt: number): boolean {
    const { database } = this.#fleet.simulation;
    if (wasLocal) return database.getNoticedAt(member.machine) <= arrivedAt;
    // An answer of a node that has died may be on its way.
    if (arrivedAt - database.failedOverAt < longestWayMs) return false;
    return this.#fleet.alive.every(({ machine }) => database.getNoticedAt(machine) <= arrivedAt);
  }

  /** Whether that actor answers through that node: at once, or when its node has been found dead and others have taken over. */
  async reaches(member: Member, conversation: string): Promise<boolean> {
    for (let tries = 1; tries <= 3; tries++) {
      const { answer } = await this.#try(member, conversationRef(conversation), 'read', {});
      if (answer.is !== 'ok') continue;
      this.#seen('end', conversation, answer);
      return true;
    }
    return false;
  }

  async #run(client: string): Promise<void> {
    while (!this.#stopped) {
      const { schedule, load } = this.#fleet.simulation;
      await schedule.sleep(this.#random.next() * load.maxThinkMs);
      if (this.#stopped) return;
      this.#busy++;
      await this.#wish(client);
      this.#busy--;
    }
  }

  async #wish(client: string): Promise<void> {
    const { faults, load } = this.#fleet.simulation;
    if (this.#random.next() < load.burstShare) return this.#burst(client, load.burstSize);
    const dice = this.#random.next() * 0.93;
    if (dice < 0.56) await this.#fulfil(client, this.#post(this.#pickConversation()));
    else if (dice < 0.7) await this.#fulfil(client, this.#entry('enter'));
    else if (dice < 0.74) await this.#fulfil(client, this.#entry('note'));
    else if (dice < 0.88) await this.#look(client, this.#pickOne(conversations));
    else if (dice < 0.91) await this.#beRefused();
    else if (faults.strikes('storm', 0.3)) await this.#storm(client);
  }

  /** More at once than a mailbox holds, and for two actors more than a node does. */
  async #storm(client: string): Promise<void> {
    const member = this.#pick();
    const size = (limits.mailbox ?? 0) + 15;
    await Promise.all([this.#burst(client, size, member), this.#burst(client, size, member)]);
  }

  #pickConversation(): string {
    return this.#pickOne(this.#fleet.simulation.load.conversations);
  }

  #pickOne<T>(all: readonly T[]): T {
    return all[Math.floor(this.#random.next() * all.length)] as T;
  }

  #post(conversation: string): Wish {
    const mark = `m${++this.#marks}`;
    const random = this.#random;
    const payload = {
      mark,
      ...(random.next() < 0.15 ? { nudge: this.#pickOne(conversations) } : {}),
      ...(random.next() < 0.25 ? { wakeInMs: Math.floor(random.next() * 4_000) - 200 } : {}),
      ...(random.next() < 0.5 ? { wake: this.#pickOne(conversations) } : {}),
    };
    return { to: conversationRef(conversation), command: 'post', payload, actor: conversation, mark };
  }

  #entry(command: 'enter' | 'note'): Wish {
    const ledger = this.#pickOne(ledgers);
    const mark = `m${++this.#marks}`;
    const actor = command === 'enter' ? ledger : notes;
    return { to: ledgerRef(ledger), command, payload: { mark }, actor, mark };
  }

  async #look(client: string, conversation: string): Promise<void> {
    const member = this.#pick();
    if (member === undefined) return;
    const { answer } = await this.#try(member, conversationRef(conversation), 'read', {});
    this.#checkPlanned(member, 'read', answer);
    this.#seen(client, conversation, answer);
  }

  #seen(client: string, actor: string, answer: Answer): void {
    if (answer.is !== 'ok' || this.#isOutdated(answer)) return;
    const { value } = answer;
    this.looks.push({ client, actor, ids: value as readonly string[] });
  }

  /** Of a command that its actor always refuses. */
  async #beRefused(): Promise<void> {
    const member = this.#pick();
    if (member === undefined) return;
    const { answer } = await this.#try(member, conversationRef(this.#pickOne(conversations)), 'refuse', {});
    if (answer.is !== 'ok') return;
    this.#fleet.simulation.verdict.broken(
      'nothing fails that nobody broke',
      'a refusal was answered as a success',
    );
  }

  /** Posts in one instant over one node: where the actor lives there, they are done in that order. */
  async #burst(client: string, size: number, member = this.#pick()): Promise<void> {
    if (member === undefined) return;
    const { verdict, faults, database } = this.#fleet.simulation;
    const { timeline } = database;
    const conversation = this.#pickConversation();
    const latency = this.#latency();
    const firsts = await Promise.all(
      Array.from({ length: size }, () => this.#fulfil(client, this.#post(conversation), member, latency)),
    );
    if (firsts.some(first => first?.answer.is === 'refused' && first.answer.reason === 'overloaded')) {
      faults.fired('storm');
    }
    if (timeline !== database.timeline || !firsts.every(first => first?.wasLocal === true)) return;
    const places = firsts.flatMap(first => (first?.answer.is === 'ok' ? [first.answer.value as number] : []));
    const isAscending = places.every((position, i) => i === 0 || position > (places[i - 1] ?? 0));
    if (!isAscending)
      verdict.broken('order is kept', `${conversation} did what was asked at once as ${places.join()}`);
  }

  /** Tries until the outcome is known; gives the first try. */
  async #fulfil(client: string, wish: Wish, via?: Member, latency?: number): Promise<Try | undefined> {
    const { schedule } = this.#fleet.simulation;
    const { mark: id, actor } = wish;
    const invokedAt = schedule.now;
    const entry = {
      client,
      actor,
      id,
      invokedAt,
      settledAt: Infinity,
      outcome: 'unknown' as Operation['outcome'],
    };
    const position = this.operations.push(entry) - 1;
    let first: Try | undefined;
    let isDoubtful = false;
    let member = via ?? this.#pick();
    for (let refusals = 0; ; member = this.#pick()) {
      const tried = member && (await this.#try(member, wish.to, wish.command, wish.payload, latency));
      if (first === undefined && member !== undefined && tried !== undefined) {
        first = tried;
        this.#checkPlanned(member, wish.command, tried.answer);
      }
      const outcome = this.#toOutcome(tried?.answer, wish, isDoubtful);
      isDoubtful ||= outcome === 'unknown';
      refusals += outcome === 'refused' ? 1 : 0;
      if (outcome === 'ok' && tried !== undefined && this.#isOutdated(tried.answer)) {
        this.operations[position] = { ...entry, settledAt: schedule.now, outcome: 'unknown' };
        return first;
      }
      if (outcome === 'ok') {
        const value =
          tried?.answer.is === 'ok' && wish.command !== 'note' ? Number(tried.answer.value) : undefined;
        this.operations[position] = { ...entry, settledAt: schedule.now, outcome, position: value };
        return first;
      }
      if (refusals >= maxRefusals || (isDoubtful && this.#random.next() < 0.1)) {
        const givenUp = isDoubtful ? 'unknown' : 'refused';
        this.operations[position] = { ...entry, settledAt: schedule.now, outcome: givenUp };
        return first;
      }
      await schedule.sleep(20 + this.#random.next() * 300);
    }
  }

  /** What one answer says of the wish. */
  #toOutcome(answer: Answer | undefined, { mark, command }: Wish, isDoubtful: boolean): Operation['outcome'] {
    if (answer === undefined) return 'refused';
    if (answer.is !== 'refused') return answer.is;
    if (doubtfulReasons.has(String(answer.reason))) return 'unknown';
    if (answer.code !== 'svc/runtime/idempotency_conflict') return 'refused';
    // A ledger takes an entry once: it was an earlier try.
    if (isDoubtful) return 'ok';
    const { verdict } = this.#fleet.simulation;
    verdict.broken(
      'nothing is applied twice',
      `${command} ${mark} was there before anybody could have done it`,
    );
    return 'ok';
  }

  #checkPlanned(member: Member, command: string, answer: Answer): void {
    const { faults, verdict } = this.#fleet.simulation;
    if (!faults.isPlanned || answer.is === 'ok') return;
    const why = answer.is === 'refused' ? `${answer.code} ${String(answer.reason)}` : answer.is;
    verdict.broken('a planned move fails no request', `${command} over ${member.name}: ${why}`);
  }

  /** A node, as a load balancer would choose it. */
  #pick(): Member | undefined {
    const { open } = this.#fleet;
    return open.length === 0 ? undefined : this.#pickOne(open);
  }

  #latency(): number {
    return 0.2 + this.#random.next() * 2;
  }

  /** One request over one node. */
  #try(
    member: Member,
    to: ActorRef,
    command: string,
    payload: object,
    latency: number = this.#latency(),
  ): Promise<Try> {
    const { schedule } = this.#fleet.simulation;
    const attempt = `a${++this.#attempts}`;
    let wasLocal = false;
    return new Promise(resolve => {
      member.calls++;
      const settle = (answer: Answer): void => {
        if (isSettled) return;
        isSettled = true;
        timer.cancel();
        forget();
        member.calls--;
        this.#fleet.simulation.tell(
          () => `${command} ${JSON.stringify(payload)} of ${to.id} over ${member.name}: ${told(answer)}`,
        );
        resolve({ answer, wasLocal });
      };
      let isSettled = false;
      const timer = schedule.after(timeoutMs, () => settle(unknown));
      const forget = member.onDeath(() => settle(unknown));
      const answer = (heard: Answer): void => void schedule.after(latency, () => settle(heard));
      schedule.after(latency, () =>
        member.machine.run(() => {
          const arrivedAt = schedule.now;
          const { timeline } = this.#fleet.simulation.database;
          wasLocal = member.shards.has(getShard(to.id, shardCount)) && member.isLeased;
          member.ask(to, command, { ...payload, attempt }).then(
            value =>
              answer({ is: 'ok', value, isCertain: this.#isCertain(member, wasLocal, arrivedAt), timeline }),
            (error: unknown) => answer(this.#refusal(error)),
          );
        }),
      );
    });
  }

  #refusal(error: unknown): Answer {
    if (error instanceof ServiceError) {
      return { is: 'refused', code: error.code, reason: error.details?.['reason'] };
    }
    this.#fleet.simulation.verdict.broken(
      'nothing fails that nobody broke',
      `an ask was rejected with ${String(error)}`,
    );
    return unknown;
  }
}

function told(answer: Answer): string {
  if (answer.is === 'ok') return `ok ${JSON.stringify(answer.value)}`;
  return answer.is === 'refused' ? `${answer.code} ${String(answer.reason ?? '')}` : 'no answer';
}
