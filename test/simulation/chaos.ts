/** What happens to the cluster while clients use it. Everything is put right again in the end. */
import type { Random } from '../../runtime/time/clock.ts';
import { conversations } from './conversation.ts';
import { projects } from './database.ts';
import type { FaultKind, Faults } from './faults.ts';
import type { Fleet } from './fleet.ts';
import type { Machine } from './machine.ts';
import type { Member } from './member.ts';
import type { Direction } from './network.ts';
import { stitches } from './stitches.ts';
import { toUrl } from './webhook-endpoint.ts';

const maxNodes = 5;
const minNodes = 2;
/** No wall clock was ever further ahead, so whatever was set for an instant is due by then: a reminder, a retry, the end of a hold. */
const endOffsetMs = 3_600_000;
const maxJumpMs = 600_000;
/** A node that cannot write leaves its shards within this time, if another one can. */
const maxLeaseWithoutDatabaseMs = 7_500;
const recentMs = 1_500;

export class Chaos {
  readonly #fleet: Fleet;
  readonly #random: Random;
  readonly #calmMs: number;
  #isOver = false;

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
    this.#random = fleet.simulation.random('chaos');
    // From one blow a second to one in four.
    this.#calmMs = 500 + this.#random.next() * 3_500;
    this.#later();
  }

  /** Nothing more happens, and everything is put right. */
  end(): void {
    this.#isOver = true;
    const { simulation, members } = this.#fleet;
    simulation.tell(() => 'everything is put right');
    simulation.faults.heal();
    simulation.database.offline = false;
    simulation.database.catchUp();
    for (const { machine } of members) simulation.database.cutOff(machine, false);
    simulation.endpoints.heal();
    if (!simulation.faults.isPlanned) simulation.database.clockOffset = endOffsetMs;
    for (const { machine, connection } of members) {
      if (machine.state === 'dead') continue;
      connection.repair();
      this.#agree(machine);
      machine.resume();
    }
    while (this.#fleet.alive.filter(({ state }) => state !== 'draining').length < minNodes) this.#start();
  }

  /** All clocks show the same in the end; where nothing was wrong, they did all the time. */
  #agree(machine: Machine): void {
    if (!this.#fleet.simulation.faults.isPlanned) machine.offset = endOffsetMs;
  }

  #start(came?: 'restart' | 'join', id?: string): void {
    const { machine } = this.#fleet.start(came, id);
    if (this.#isOver) this.#agree(machine);
  }

  #later(): void {
    const ms = this.#random.next() * 2 * this.#calmMs;
    this.#fleet.simulation.schedule.after(ms, () => {
      if (this.#isOver) return;
      this.#strike();
      this.#later();
    });
  }

  #strike(): void {
    const { faults } = this.#fleet.simulation;
    const possible = Object.entries(this.#blows).filter(([kind]) => faults.has(kind as FaultKind));
    const [, blow] = possible[Math.floor(this.#random.next() * possible.length)] ?? [];
    blow?.();
  }

  readonly #blows: Readonly<Partial<Record<FaultKind, () => void>>> = {
    'closed connection': () =>
      this.#on('serving', ({ name, connection }) => {
        const { faults, tell } = this.#parts;
        if (!connection.isConnected) return;
        tell(() => `the connection of ${name} breaks`);
        faults.fired('closed connection');
        connection.closeThere();
        connection.closeHere();
      }),
    'silent partition': () =>
      this.#on('serving', member => this.#cut(member, 'silent partition', ['up', 'down'])),
    'one-way partition': () =>
      this.#on('serving', member =>
        this.#cut(member, 'one-way partition', [this.#random.next() < 0.5 ? 'up' : 'down']),
      ),
    'broker restart': () => {
      const ms = 100 + this.#random.next() * 4_000;
      this.#parts.tell(() => `the broker is away for ${ms.toFixed(0)} ms`);
      if (this.#fleet.simulation.broker.isUp) this.#fleet.simulation.broker.restart(ms);
    },
    'database offline': () => {
      const { database, schedule } = this.#fleet.simulation;
      const ms = 50 + this.#random.next() * 3_000;
      this.#parts.tell(() => `the database is away for ${ms.toFixed(0)} ms`);
      database.offline = true;
      schedule.after(ms, () => (database.offline = false));
    },
    failover: () => {
      const { database, schedule, faults } = this.#fleet.simulation;
      if (database.isBehind) return;
      const lagMs = 20 + this.#random.next() * 1_500;
      const awayMs = 50 + this.#random.next() * 1_500;
      database.fallBehind();
      this.#parts.tell(() => `the standby falls behind, by ${lagMs.toFixed(0)} ms`);
      schedule.after(lagMs, () => {
        if (this.#isOver) return;
        database.offline = true;
        schedule.after(awayMs, () => {
          if (this.#isOver) return;
          const lost = database.failOver();
          this.#parts.tell(() => `the standby is promoted, and ${lost} commits are lost`);
          if (lost > 0) faults.fired('failover');
          database.offline = false;
        });
      });
    },
    'lost database': () =>
      this.#on('serving', member => {
        const { database, schedule } = this.#fleet.simulation;
        const { machine, name } = member;
        if (database.isCutOff(machine)) return;
        const ms = 500 + this.#random.next() * 14_000;
        this.#parts.tell(() => `${name} cannot reach the database for ${ms.toFixed(0)} ms`);
        database.cutOff(machine, true);
        const since = schedule.now;
        const { outages } = database;
        const { renewalsFailed } = member.metrics.counters;
        schedule.after(maxLeaseWithoutDatabaseMs, () => {
          const isOver = this.#isOver || ms <= maxLeaseWithoutDatabaseMs || outages !== database.outages;
          // What it has not observed, it cannot know.
          if (!isOver && renewalsFailed === member.metrics.counters.renewalsFailed)
            this.#checkLeft(member, since);
        });
        schedule.after(ms, () => {
          this.#parts.tell(() => `${name} reaches the database again`);
          database.cutOff(machine, false);
        });
      }),
    'clock jump': () =>
      this.#on('serving', ({ name, machine }) => {
        if (this.#isOver) return;
        const before = machine.offset;
        machine.offset = (this.#random.next() * 2 - 1) * maxJumpMs;
        this.#parts.tell(() => `the clock of ${name} jumps by ${(machine.offset - before).toFixed(0)} ms`);
        if (Math.abs(machine.offset - before) > 60_000) this.#parts.faults.fired('clock jump');
      }),
    'receiver down': () => {
      const ms = this.#fleet.simulation.load.troubleMs(this.#random);
      const failing = stitches.filter(() => this.#random.next() < 0.5);
      this.#parts.tell(() => `${failing.length} receivers fail for ${ms.toFixed(0)} ms`);
      for (const { id } of failing) this.#fleet.simulation.endpoints.fail(toUrl(id), ms);
    },
    'slow receiver': () => {
      const ms = this.#fleet.simulation.load.troubleMs(this.#random);
      const slow = stitches.filter(() => this.#random.next() < 0.5);
      this.#parts.tell(() => `${slow.length} receivers are slow for ${ms.toFixed(0)} ms`);
      for (const { id } of slow) this.#fleet.simulation.endpoints.slowDown(toUrl(id), ms);
    },
    'events dropped': () => this.#retain('events dropped'),
    'undelivered dropped': () => {
      // It takes a week more than the other.
      if (this.#random.next() < 0.5) this.#retain('undelivered dropped');
    },
    erasure: () => {
      const { database, faults } = this.#fleet.simulation;
      const conversation = conversations[Math.floor(this.#random.next() * conversations.length)] ?? '';
      const count = database.deliveries.erase(conversation);
      this.#parts.tell(() => `${count} events of ${conversation} are erased`);
      if (count > 0) faults.fired('erasure');
    },
    'short pause': () => this.#pause('short pause', 20 + this.#random.next() * 1_500),
    'long pause': () => this.#pause('long pause', 3_500 + this.#random.next() * 4_000),
    crash: () =>
      this.#on('any', member => {
        this.#fleet.crash(member);
        this.#replace(member);
      }),
    'power loss': () =>
      this.#on('any', member => {
        this.#fleet.cutPower(member);
        this.#replace(member);
      }),
    join: () => {
      if (this.#fleet.alive.length < maxNodes) this.#start('join');
    },
    drain: () =>
      this.#on('serving', member => {
        if (this.#fleet.open.length < minNodes) return;
        this.#fleet.drain(member);
        if (this.#parts.faults.has('join')) this.#start('join');
      }),
  };

  /** A node that cannot write has left its shards if another one could have them all the time. */
  #checkLeft(member: Member, since: number): void {
    const { alive, simulation } = this.#fleet;
    const couldServe = (other: Member): boolean =>
      other !== member &&
      other.state === 'serving' &&
      other.machine.state === 'running' &&
      other.hasHeldLease(since) &&
      simulation.database.hasReached(other.machine, since) &&
      other.hasWritten(recentMs);
    if (member.machine.state !== 'running' || !member.hasHeldLease(since)) return;
    const rival = alive.find(couldServe);
    if (member.state !== 'serving' || rival === undefined) return;
    simulation.verdict.broken(
      'no lease without the database',
      `${member.name} holds ${[...member.shards].join()} since ${since.toFixed(0)}, and ${rival.name} can write`,
    );
  }

  get #parts(): { readonly faults: Faults; readonly tell: (line: () => string) => void } {
    const { simulation } = this.#fleet;
    return { faults: simulation.faults, tell: (line: () => string) => simulation.tell(line) };
  }

  /** To one node; those that end processes leave enough of them. */
  #on(which: 'serving' | 'any', blow: (member: Member) => void): void {
    const { alive, open } = this.#fleet;
    const candidates = which === 'any' ? alive : open.filter(({ machine }) => machine.state === 'running');
    const member = candidates[Math.floor(this.#random.next() * candidates.length)];
    if (member !== undefined && alive.length >= minNodes) blow(member);
  }

  #cut(member: Member, kind: FaultKind, directions: readonly Direction[]): void {
    const { schedule } = this.#fleet.simulation;
    const { connection, name } = member;
    const random = this.#random;
    const ms = 50 + random.next() ** 2 * 8_000;
    const timeoutsMs = { here: 500 + random.next() * 6_000, there: 500 + random.next() * 6_000 };
    if (connection.isStalled) return;
    this.#parts.tell(() => `${name} is cut off (${directions.join(' and ')}) for ${ms.toFixed(0)} ms`);
    connection.stall(directions, timeoutsMs);
    schedule.after(ms, () => {
      if (!connection.isStalled) return;
      const hadEffect = connection.held > 0 || !connection.isHeard || !connection.isConnected;
      if (hadEffect) this.#parts.faults.fired(kind);
      this.#parts.tell(() => `the way of ${name} is whole again`);
      connection.repair();
    });
  }

  /** The oldest events of a project have outlived their time: those that no stitch has yet to deliver, or all of them. */
  #retain(kind: 'events dropped' | 'undelivered dropped'): void {
    const { database } = this.#fleet.simulation;
    const projectId = projects[Math.floor(this.#random.next() * projects.length)] ?? '';
    const count = database.deliveries.drop(projectId, this.#random.next(), kind === 'undelivered dropped');
    this.#parts.tell(() => `${count} events of ${projectId} are dropped (${kind})`);
    if (count > 0) this.#parts.faults.fired(kind);
  }

  #pause(kind: FaultKind, ms: number): void {
    this.#on('serving', ({ name, machine }) => {
      this.#parts.tell(() => `${name} stands still for ${ms.toFixed(0)} ms`);
      machine.pause();
      this.#fleet.simulation.schedule.after(ms, () => {
        if (machine.state !== 'paused') return;
        if (machine.backlog > 0) this.#parts.faults.fired(kind);
        this.#parts.tell(() => `${name} goes on, with ${machine.backlog} things to do`);
        machine.resume();
      });
    });
  }

  /** Somebody sees to it that there are enough nodes: by a new one, or by the same one again. */
  #replace({ id }: Member): void {
    const { simulation, alive } = this.#fleet;
    if (!simulation.faults.has('restart') && alive.length >= minNodes) return;
    const isSame = this.#random.next() < 0.5;
    simulation.schedule.after(100 + this.#random.next() * 1_900, () => {
      if (!this.#isOver && this.#fleet.alive.length < maxNodes)
        this.#start('restart', isSame ? id : undefined);
    });
  }
}
