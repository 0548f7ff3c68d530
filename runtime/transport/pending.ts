/**
 * Asks that wait for the answer of another machine. Each has a token, under which the answer comes.
 *
 *   waiting -> settled    the answer came
 *   waiting -> settled    nobody heard it: NoOwner
 *   waiting -> doubtful   a node says that it is not the owner: NoOwner for the asker, but another node may have heard it too
 *   doubtful -> waiting   the asker tries again, under the same token: whoever has taken it does not take it twice
 *   doubtful -> settled   the answer came after all; it is kept for the next try
 *   any -> gone           the deadline has passed, or the connection is lost, or its only hearer is: the outcome is unknown
 */
import type { Clock, Timer } from '../clock.ts';
import { unavailable } from '../failures.ts';
import { NoOwner, type Envelope } from './transport.ts';
import { encodeFailure } from './wire.ts';

const saysNoOwner = encodeFailure(new NoOwner());

interface Question {
  readonly token: string;
  readonly shard: number;
  readonly envelope: Envelope;
  timer: Timer;
  /** The asker's; undefined while doubtful. */
  settle:
    { readonly resolve: (answer: string) => void; readonly reject: (reason: Error) => void } | undefined;
  /** A node said NoOwner to it. */
  doubted: boolean;
  /** Came while nobody waited. */
  answer: string | undefined;
}

export class PendingAsks {
  readonly #clock: Clock;
  readonly #questions = new Map<string, Question>();
  readonly #doubtful = new WeakMap<Envelope, Question>();
  readonly #whenQuiet: (() => void)[] = [];
  #waiting = 0;
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Those that a bound should count: waiting and doubtful. */
  get size(): number {
    return this.#questions.size;
  }

  /** The token under which the envelope is to be sent; the same one when this very envelope was in doubt. */
  tokenOf(envelope: Envelope): string {
    return this.#doubtful.get(envelope)?.token ?? (this.#count++).toString(36);
  }

  /** The answer that came after this very envelope was given up, if one did. */
  lateAnswer(envelope: Envelope): string | undefined {
    return this.#doubtful.get(envelope)?.answer;
  }

  /** The text of the answer. Rejects with `NoOwner`, or with `svc/runtime/unavailable` when the outcome is unknown. */
  wait(token: string, shard: number, envelope: Envelope): Promise<string> {
    return new Promise((resolve, reject) => {
      const doubted = this.#questions.get(token);
      this.#waiting++;
      if (doubted !== undefined) {
        doubted.settle = { resolve, reject };
        return;
      }
      const question: Question = {
        ...{ token, shard, envelope, settle: { resolve, reject }, doubted: false, answer: undefined },
        timer: this.#clock.after(Math.max(0, envelope.deadline - this.#clock.monotonic()), () =>
          this.#lose(question, 'deadline'),
        ),
      };
      this.#questions.set(token, question);
    });
  }

  /** What a node answered. */
  answered(token: string, answer: string): void {
    const question = this.#questions.get(token);
    if (question === undefined) return;
    if (answer === saysNoOwner) {
      question.doubted = true;
      this.#doubtful.set(question.envelope, question);
      this.#take(question)?.reject(new NoOwner());
      return;
    }
    this.#drop(question);
    const settle = this.#take(question);
    if (settle === undefined) question.answer = answer;
    else settle.resolve(answer);
  }

  /** The server found nobody who listens, or nothing was sent. */
  unheard(token: string): void {
    const question = this.#questions.get(token);
    if (question === undefined) return;
    if (!question.doubted) this.#drop(question);
    this.#take(question)?.reject(new NoOwner());
  }

  /** The way on which answers come is broken. */
  lose(): void {
    for (const question of [...this.#questions.values()]) this.#lose(question, 'connection');
  }

  /** Whoever was asked at these shards is gone. What is in doubt goes on: it may be with another. */
  orphan(shards: ReadonlySet<number>): void {
    for (const question of [...this.#questions.values()]) {
      if (!question.doubted && shards.has(question.shard)) this.#lose(question, 'connection');
    }
  }

  /** Resolves when nobody waits. */
  quiet(): Promise<void> {
    return this.#waiting === 0 ? Promise.resolve() : new Promise(resolve => this.#whenQuiet.push(resolve));
  }

  #lose(question: Question, reason: 'deadline' | 'connection'): void {
    this.#drop(question);
    this.#take(question)?.reject(unavailable(reason));
  }

  #drop(question: Question): void {
    question.timer.cancel();
    this.#questions.delete(question.token);
  }

  /** The asker's functions, which are called once. */
  #take(question: Question): Question['settle'] {
    const { settle } = question;
    if (settle === undefined) return undefined;
    question.settle = undefined;
    this.#waiting--;
    if (this.#waiting === 0) for (const resolve of this.#whenQuiet.splice(0)) resolve();
    return settle;
  }
}
