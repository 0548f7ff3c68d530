/** The nodes of a simulation: how they come and go. */
import { Member } from './member.ts';
import type { World } from './world.ts';

/** How long a drained process stays for the answers that are still going out. */
const lingerMs = 20_000;

export class Fleet {
  readonly world: World;
  /** All that there ever were. */
  readonly members: Member[] = [];
  #made = 0;

  constructor(world: World) {
    this.world = world;
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
    const { world } = this;
    const name = `node-${++this.#made}`;
    const member = new Member(world, name, id ?? name, world.random(name));
    member.came = came;
    this.members.push(member);
    world.members.push(member);
    world.tell(() => `${name} starts as ${member.id}${came === undefined ? '' : ` (${came})`}`);
    member.machine.run(() => {
      member.start().catch((error: unknown) => {
        world.verdict.broken('nothing fails that nobody broke', `${name} cannot start: ${String(error)}`);
      });
    });
    return member;
  }

  /** SIGKILL: the kernel closes its connections. */
  crash(member: Member): void {
    if (member.shards.size > 0) this.world.faults.fired('crash');
    this.#end(member, 'is killed');
    this.world.schedule.after(1, () => member.connection.closeThere());
  }

  /** Nobody closes anything: the broker believes in the connection for a while. */
  cutPower(member: Member): void {
    const { faults, schedule } = this.world;
    if (member.shards.size > 0) faults.fired('power loss');
    this.#end(member, 'loses power');
    schedule.after(2_000 + this.world.random('chaos').next() * 6_000, () => member.connection.closeThere());
  }

  /** SIGTERM. */
  drain(member: Member): void {
    const { world } = this;
    if (member.shards.size > 0) world.faults.fired('drain');
    world.tell(() => `${member.name} is told to go`);
    member.state = 'draining';
    member.machine.run(() => {
      void member.drain().then(() => this.#leave(member, lingerMs));
    });
  }

  /** The process ends when its last client has its answer. */
  #leave(member: Member, patienceMs: number): void {
    const { schedule } = this.world;
    if (member.machine.state === 'dead') return;
    if (member.calls > 0 && patienceMs > 0) {
      schedule.after(10, () => this.#leave(member, patienceMs - 10));
      return;
    }
    this.#end(member, 'has gone');
    schedule.after(1, () => member.connection.closeThere());
  }

  #end(member: Member, how: string): void {
    this.world.tell(() => `${member.name} ${how}`);
    member.checkMailboxes();
    member.state = 'gone';
    member.machine.die();
    member.died();
  }
}
