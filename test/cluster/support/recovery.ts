/** How long a fault keeps writes to threads from succeeding. */
import type { Test } from 'tap';
import type { TestCluster } from './cluster.ts';
import type { Answer, Load } from './load.ts';

/** What comes so soon was sent before. */
const onItsWayMs = 100;

export class Recovery {
  readonly #load: Load;
  readonly #at = performance.now();
  readonly #from: number;
  /** The threads that senders go on writing to. */
  readonly #missing: Set<string>;
  readonly #took: number[] = [];

  /** To be made when the fault happens. `isHit`: whether the thread is one of those that it hits. */
  constructor(load: Load, isHit: (threadId: string) => boolean) {
    this.#load = load;
    this.#from = load.answers.length;
    this.#missing = new Set(load.current.filter(isHit));
  }

  /** How many are hit. */
  get threads(): number {
    return this.#missing.size + this.#took.length;
  }

  /** Resolves when a write to each has succeeded: after how many milliseconds each, in ascending order. */
  async complete(): Promise<readonly number[]> {
    const { answers } = this.#load;
    let next = this.#from;
    const isComplete = (): boolean => {
      for (; next < answers.length; next++) {
        const answer = answers[next];
        if (answer === undefined || isOld(answer, this.#at)) continue;
        if (this.#missing.delete(answer.threadId)) this.#took.push(answer.answeredAt - this.#at);
      }
      return this.#missing.size === 0;
    };
    await this.#load.until(isComplete, 'write to every thread that was hit');
    return this.#took.sort((a, b) => a - b);
  }
}

/** Whether the answer was on its way already: that does not show that anything works. */
function isOld({ sentAt, answeredAt, tries }: Answer, at: number): boolean {
  return sentAt < at && tries === 1 && answeredAt - at < onItsWayMs;
}

/** The 99th percentile and the maximum, rounded. */
export function worst(took: readonly number[]): { readonly p99: number; readonly max: number } {
  const sorted = [...took].sort((a, b) => a - b);
  const at = (part: number): number => Math.round(sorted[Math.ceil(sorted.length * part) - 1] ?? 0);
  return { p99: at(0.99), max: at(1) };
}

/** Kills the node that owns most of the threads that are written to. Resolves when each of them is writable again. */
export async function killBusiest(t: Test, cluster: TestCluster, load: Load): Promise<void> {
  await load.more(80);
  const victim = await cluster.busiest(load.current);
  const recovery = new Recovery(load, await cluster.ownership(victim));
  load.spare(victim);
  await victim.kill();
  t.ok(recovery.threads > 0, `it owned ${recovery.threads} threads of the load`);
  const took = await recovery.complete();
  t.comment(`writes succeed again after ${took.map(Math.round).join(' ')} ms`);
}
