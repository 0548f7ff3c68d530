/**
 * Virtual time of a simulation: one queue of everything that is going to happen, in one order that the seed alone decides.
 *
 * Between two steps all promises that can settle do. `test/support/virtual-clock.ts` waits for them with `setImmediate`, a turn
 * of the event loop for each step; a simulation takes ten thousand steps per second of real time and more, so here the next
 * step is a tick that is queued from the end of the microtasks. Node runs the tick queue only when the microtask queue is
 * empty (task_queues.js), so nothing is left over, and it costs a tenth.
 */

export interface Planned {
  cancel(): void;
}

interface Entry {
  readonly at: number;
  readonly order: number;
  callback: (() => void) | undefined;
}

const isBefore = (a: Entry, b: Entry): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

export class Schedule {
  /** Milliseconds since the simulation began. */
  now = 0;
  /** Steps so far. */
  steps = 0;
  /** A binary heap: the next one is the first. */
  readonly #heap: Entry[] = [];
  #order = 0;

  /** Plans a step; those of one instant happen in the order of their planning. */
  after(ms: number, callback: () => void): Planned {
    const entry: Entry = { at: this.now + Math.max(0, ms), order: this.#order++, callback };
    this.#push(entry);
    return { cancel: () => (entry.callback = undefined) };
  }

  sleep(ms: number): Promise<void> {
    return new Promise(resolve => this.after(ms, resolve));
  }

  /** Takes steps until `isDone`, which is looked at before each; rejects with what a step throws, or when `endAt` is passed. */
  run(isDone: () => boolean, endAt: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const step = (): void => {
        try {
          if (isDone()) return resolve();
          this.#step(endAt);
        } catch (error) {
          return reject(error instanceof Error ? error : new Error(String(error)));
        }
        // Not from here but from a microtask: a tick that is queued by a tick runs before the microtasks.
        queueMicrotask(() => process.nextTick(step));
      };
      process.nextTick(step);
    });
  }

  #step(endAt: number): void {
    for (;;) {
      const next = this.#pop();
      if (next === undefined) throw new Error('nothing is going to happen any more');
      const { callback } = next;
      if (callback === undefined) continue;
      if (next.at > endAt) throw new Error(`not done at ${endAt} ms of virtual time`);
      this.now = next.at;
      this.steps++;
      callback();
      return;
    }
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let i = heap.length;
    for (let parent = (i - 1) >> 1; i > 0; i = parent, parent = (i - 1) >> 1) {
      const above = heap[parent] as Entry;
      if (!isBefore(entry, above)) break;
      heap[i] = above;
    }
    heap[i] = entry;
  }

  #pop(): Entry | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Entry, heap[child] as Entry)) child++;
      const below = heap[child] as Entry;
      if (!isBefore(below, last)) break;
      heap[i] = below;
      i = child;
    }
    heap[i] = last;
    return first;
  }
}
