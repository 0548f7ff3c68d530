/**
 * The process that a node runs in: everything that happens to the node comes through here.
 *
 *   running -> paused    SIGSTOP: timers fall due and messages come, but nothing runs
 *   paused -> running    SIGCONT: all of it at once, what fell due before what came
 *   any -> dead          SIGKILL, or the end of the process: nothing of it ever runs again
 */
import type { Clock, Timer } from '../../runtime/time/clock.ts';
import type { Schedule } from './schedule.ts';

/** Midnight of 1 January 2026: when every simulation begins. */
export const beginning = Date.UTC(2026, 0, 1);

export class Machine implements Clock {
  readonly name: string;
  /** Milliseconds by which its wall clock is wrong; it may jump. */
  offset: number;
  readonly #schedule: Schedule;
  /** What the monotonic clock showed when the simulation began: each machine's is another. */
  readonly #uptime: number;
  #state: 'running' | 'paused' | 'dead' = 'running';
  #due: (() => void)[] = [];
  #came: (() => void)[] = [];

  constructor(name: string, schedule: Schedule, offset: number, uptime: number) {
    this.name = name;
    this.offset = offset;
    this.#schedule = schedule;
    this.#uptime = uptime;
  }

  get state(): 'running' | 'paused' | 'dead' {
    return this.#state;
  }

  /** What has happened to it while it was paused. */
  get backlog(): number {
    return this.#due.length + this.#came.length;
  }

  now(): number {
    return Math.floor(beginning + this.#schedule.now + this.offset);
  }

  monotonic(): number {
    return this.#uptime + this.#schedule.now;
  }

  after(ms: number, callback: () => void): Timer {
    let isSet = true;
    const fire = (): void => {
      if (isSet) callback();
    };
    const planned = this.#schedule.after(ms, () => this.#happen(fire, this.#due));
    return {
      cancel: () => {
        isSet = false;
        planned.cancel();
      },
    };
  }

  /** Something comes from outside: runs now, or when the machine goes on, or never. */
  run(callback: () => void): void {
    this.#happen(callback, this.#came);
  }

  pause(): void {
    if (this.#state === 'running') this.#state = 'paused';
  }

  resume(): void {
    if (this.#state !== 'paused') return;
    this.#state = 'running';
    const [due, came] = [this.#due, this.#came];
    this.#due = [];
    this.#came = [];
    for (const callback of due) this.#schedule.after(0, () => this.#happen(callback, this.#due));
    for (const callback of came) this.#schedule.after(0, () => this.run(callback));
  }

  die(): void {
    this.#state = 'dead';
    this.#due = [];
    this.#came = [];
  }

  #happen(callback: () => void, backlog: (() => void)[]): void {
    if (this.#state === 'running') callback();
    else if (this.#state === 'paused') backlog.push(callback);
  }
}
