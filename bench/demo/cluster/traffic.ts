/** What the load saw of late: read off its answers, ten times a second. */
import type { Load } from '../../../test/cluster/support/load.ts';

const windowMs = 1_000;

export interface Traffic {
  /** Answers in the last second. */
  readonly perSecond: number;
  /** The slowest answer of the last second, and of all, in milliseconds from the first try to the answer. */
  readonly slowestMs: number;
  readonly slowestEverMs: number;
  readonly acknowledged: number;
  /** Requests that got no answer, or a 503: each was repeated under its key. */
  readonly failed: number;
}

export class TrafficMeter {
  readonly #load: Load;
  /** The first answer of the last second, and the first that was not looked at yet. */
  #first = 0;
  #next = 0;
  #slowestEverMs = 0;

  constructor(load: Load) {
    this.#load = load;
  }

  read(): Traffic {
    const { answers, failed } = this.#load;
    for (; this.#next < answers.length; this.#next++) {
      this.#slowestEverMs = Math.max(this.#slowestEverMs, this.#tookMs(this.#next));
    }
    const since = performance.now() - windowMs;
    while (this.#first < answers.length && (answers[this.#first]?.answeredAt ?? 0) < since) this.#first++;
    let slowestMs = 0;
    for (let i = this.#first; i < answers.length; i++) slowestMs = Math.max(slowestMs, this.#tookMs(i));
    return {
      perSecond: answers.length - this.#first,
      slowestMs,
      slowestEverMs: this.#slowestEverMs,
      acknowledged: answers.length,
      failed,
    };
  }

  #tookMs(index: number): number {
    const answer = this.#load.answers[index];
    return answer === undefined ? 0 : answer.answeredAt - answer.sentAt;
  }
}
