/**
 * A queue that is linked through its members:
 *
 *   head -> member -> member -> member <- tail
 *
 * A member is in one queue at a time, so the links cost no memory and an empty queue costs three fields; with a ring buffer each of
 * 100,000 idle actors would pay for its slots. Turns that were undone go back to the front in one step. The owner of a queue keeps its
 * bound.
 */

export interface Linked<T> {
  /** The next member; only the queue sets it. */
  next: T | undefined;
}

export class Queue<T extends Linked<T>> {
  #head: T | undefined = undefined;
  #tail: T | undefined = undefined;
  #size = 0;

  get head(): T | undefined {
    return this.#head;
  }

  get size(): number {
    return this.#size;
  }

  push(member: T): void {
    if (this.#tail === undefined) this.#head = member;
    else this.#tail.next = member;
    this.#tail = member;
    this.#size++;
  }

  shift(): T | undefined {
    const head = this.#head;
    if (head === undefined) return undefined;
    this.#head = head.next;
    if (head.next === undefined) this.#tail = undefined;
    else head.next = undefined;
    this.#size--;
    return head;
  }

  /** Moves all members of the other queue to the front of this one. */
  prepend(other: Queue<T>): void {
    if (other.#tail === undefined) return;
    other.#tail.next = this.#head;
    this.#head = other.#head;
    this.#tail ??= other.#tail;
    this.#size += other.#size;
    other.#head = other.#tail = undefined;
    other.#size = 0;
  }
}
