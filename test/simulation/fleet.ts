/** The nodes of a simulation: how they come and go. */
import { Member } from './member.ts';
import type { Simulation } from './simulation.ts';

/** How long a drained process stays for the answers that are still going out. */
const lingerMs = 20_000;

export class Fleet {
  readonly simulation: Simulation;
  /** All that there ever were. */
  readonly members: Member[] = [];
  #made = 0;

  constructor(simulation: Simulation) {
    this.simulation = simulation;
  }

  /** Nodes whose process is there: running or paused, in any state. */
  get alive(): readonly Member[] {
    return this.members.filter(({ machine }) => machine.state !== 'dead');
  }

  /** Nodes to which a load balancer sends clients. It does not see that one hangs. */
  get open(): readonly Member[] {
    return this.alive.filter(({ state }) => state === 'serving');
  }

  /** `id` is that of a node that is dead; default: a new one. */
  start(came?: 'restart' | 'join', id?: string): Member {
    const { simulation } = this;
    const name = `node-${++this.#made}`;
    const member = new Member(simulation, name, id ?? name, simulation.random(name));
    member.came = came;
    this.members.push(member);
    simulation.members.push(member);
    simulation.tell(() => `${name} starts as ${member.id}${came === undefined ? '' : ` (${came})`}`);
    member.machine.run(() => {
      member.start().catch((error: unknown) => {
        simulation.verdict.broken(
          'nothing fails that nobody broke',
          `${name} cannot start: ${String(error)}`,
        );
      });
    });
    return member;
  }

  /** SIGKILL: the kernel closes its connections. */
  crash(member: Member): void {
    if (member.shards.size > 0) this.simulation.faults.fired('crash');
    this.#end(member, 'is killed');
    this.simulation.schedule.after(1, () => member.connection.closeThere());
  }

  /** Nobody closes anything: the broker believes in the connection for a while. */
  cutPower(member: Member): void {
    const { faults, schedule } = this.simulation;
    if (member.shards.size > 0) faults.fired('power loss');
    this.#end(member, 'loses power');
    schedule.after(2_000 + this.simulation.random('chaos').next() * 6_000, () =>
      member.connection.closeThere(),
    );
  }

  /** SIGTERM. */
  drain(member: Member): void {
    const { simulation } = this;
    if (member.shards.size > 0) simulation.faults.fired('drain');
    simulation.tell(() => `${member.name} is told to go`);
    member.state = 'draining';
    member.machine.run(() => {
      void member.drain().then(() => this.#leave(member, lingerMs));
    });
  }

  /** The process ends when its last client has its answer. */
  #leave(member: Member, graceMs: number): void {
    const { schedule } = this.simulation;
    if (member.machine.state === 'dead') return;
    if (member.calls > 0 && graceMs > 0) {
      schedule.after(10, () => this.#leave(member, graceMs - 10));
      return;
    }
    this.#end(member, 'has gone');
    schedule.after(1, () => member.connection.closeThere());
  }

  #end(member: Member, how: string): void {
    this.simulation.tell(() => `${member.name} ${how}`);
    member.checkMailboxes();
    member.state = 'gone';
    member.machine.die();
    member.died();
  }
}
