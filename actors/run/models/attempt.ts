/**
 * One attempt at one model step: reads the model's stream to its end, and shows pieces of text as they arrive.
 *
 * The provider is asked directly, between the library's own conversions, and not through `streamText`, which passes every part through a
 * dozen streams: a step that wants two calls took 2.7 ms of processor time with it and 1.1 without; a text in 100 pieces 8.9 and 2.5.
 */
import type { Clock } from '../../../runtime/time/index.ts';
import type { Plan } from '../services.ts';
import { endlessAnswer, ModelFault } from './faults.ts';
import { createModel, createQuestion, createToolSet } from './library.ts';
import { Transcript, type ModelOutput } from './transcript.ts';
import type { ModelUrls } from './urls.ts';

/** Characters of an answer, its reasoning and its tool calls: far beyond what any model writes in one step. */
const maxAnswerCharacters = 1_000_000;
/** A model that is silent for this many milliseconds has stopped. */
const maxSilenceMs = 60_000;

export interface Attempt {
  readonly plan: Plan;
  readonly key: string;
  readonly turns: readonly unknown[];
  /** Epoch milliseconds. */
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly onDelta: (text: string) => void;
  /** W3C Trace Context of the step; undefined where its trace is not kept. */
  readonly traceparent: string | undefined;
}

export interface AttemptOutput extends ModelOutput {
  readonly promptCharacters: number;
}

/** Rejects with the signal's reason, with a `ModelFault`, or with an error of the library (see `toModelFault`). */
export async function makeAttempt(attempt: Attempt, urls: ModelUrls, clock: Clock): Promise<AttemptOutput> {
  const { plan, key, turns, traceparent } = attempt;
  let promptCharacters = 0;
  const model = createModel(
    { ...plan, key, traceparent },
    urls,
    characters => (promptCharacters = characters),
  );
  const tools = createToolSet(plan);
  const transcript = new Transcript();
  const timeout = new ModelTimeout(clock, attempt);
  try {
    const question = await createQuestion(plan, turns, tools);
    const { stream } = await model.doStream({ ...question, abortSignal: timeout.signal });
    for await (const part of stream) {
      timeout.noteProgress();
      if (part.type === 'error') throw part.error;
      transcript.take(part);
      if (part.type === 'text-delta' && part.delta !== '') attempt.onDelta(part.delta);
      if (transcript.length > maxAnswerCharacters) throw endlessAnswer();
    }
    timeout.signal.throwIfAborted();
    return { ...(await transcript.finish(tools)), promptCharacters };
  } catch (error) {
    // The attempt is over. If the timeout ended it, that is the reason, and not what the library made of it.
    throw timeout.end(error);
  } finally {
    timeout.stop();
  }
}

export interface ModelTimeoutOptions {
  /** Epoch milliseconds. */
  readonly deadline: number;
  /** Cancels the attempt. */
  readonly signal: AbortSignal;
}

/** Ends an attempt that is cancelled, whose model is silent for too long, or that goes beyond its deadline. */
class ModelTimeout {
  readonly #clock: Clock;
  readonly #cancelled: AbortSignal;
  readonly #ended = new AbortController();
  readonly #deadline: { cancel(): void };
  #silence: { cancel(): void };
  #progressAt: number;

  constructor(clock: Clock, { deadline, signal }: ModelTimeoutOptions) {
    this.#clock = clock;
    this.#progressAt = clock.monotonic();
    this.#cancelled = signal;
    signal.addEventListener('abort', this.#cancel, { once: true });
    if (signal.aborted) this.#cancel();
    const left = Math.max(0, deadline - clock.now());
    this.#deadline = clock.after(left, () => this.#expire("the run's time is over", false));
    this.#silence = this.#listen(maxSilenceMs);
  }

  /** Aborts what the attempt has asked for, with the reason. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  noteProgress(): void {
    this.#progressAt = this.#clock.monotonic();
  }

  /** Ends the attempt. Returns the first reason that it was ended with. */
  end(reason: unknown): unknown {
    this.#ended.abort(reason);
    return this.#ended.signal.reason;
  }

  /** Removes timers and listeners. */
  stop(): void {
    this.#cancelled.removeEventListener('abort', this.#cancel);
    this.#deadline.cancel();
    this.#silence.cancel();
  }

  #listen(ms: number): { cancel(): void } {
    return this.#clock.after(ms, () => {
      const silentMs = this.#clock.monotonic() - this.#progressAt;
      if (silentMs < maxSilenceMs) this.#silence = this.#listen(maxSilenceMs - silentMs);
      else this.#expire(`it was silent for ${maxSilenceMs / 1_000} s`, true);
    });
  }

  #expire(why: string, isTransient: boolean): void {
    this.end(new ModelFault('timeout', `the model did not answer: ${why}`, isTransient));
  }

  readonly #cancel = (): void => void this.end(this.#cancelled.reason);
}
