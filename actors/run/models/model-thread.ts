/**
 * `Models` in a thread of their own. To ask one costs a millisecond or two of processor time (requests, streams, checks of
 * arguments): with 200 runs that are answered in one moment, on the node's own thread the messages of everybody else would wait.
 *
 * The thread is started by the first question. When it ends by itself, what it had is asked again in a new one, once: a model may
 * be asked twice, since nothing is committed before it has answered.
 */
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../../runtime/clock.ts';
import type { Log } from '../../../runtime/log.ts';
import type { StepOrder } from '../orders.ts';
import { defect, type ModelOutcome } from '../outcome.ts';
import type { Models, Plan } from '../services.ts';
import type { FromModelThread, ModelThreadData, ToModelThread } from './model-messages.ts';
import type { ModelServices } from './models.ts';

export interface ModelThreadOptions extends Pick<ModelServices, 'urls' | 'used'> {
  readonly clock: Clock;
  readonly log: Log;
  /** Default: {@link startModelThread}. */
  readonly start?: (data: ModelThreadData) => Worker;
}

/** A thread of models.worker.ts. */
export function startModelThread(workerData: ModelThreadData): Worker {
  return new Worker(new URL('./models.worker.ts', import.meta.url), {
    workerData,
    // Test runners and loaders of the node are not the thread's business.
    execArgv: [],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
}

interface Question {
  readonly plan: Plan;
  readonly order: StepOrder;
  readonly onDelta: (text: string) => void;
  readonly settle: (outcome: ModelOutcome) => void;
  /** Threads that were lost with it. */
  lost: number;
}

const mostLost = 2;

export class ModelThread implements Models {
  readonly #options: ModelThreadOptions;
  readonly #questions = new Map<number, Question>();
  #worker: Worker | undefined;
  #next = 1;
  #closed = false;

  constructor(options: ModelThreadOptions) {
    this.#options = options;
  }

  answer(
    plan: Plan,
    order: StepOrder,
    signal: AbortSignal,
    onDelta: (text: string) => void,
  ): Promise<ModelOutcome> {
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    return new Promise((resolve, reject) => {
      const id = this.#next++;
      const cancel = (): void => {
        this.#questions.delete(id);
        this.#post({ do: 'cancel', id });
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', cancel, { once: true });
      const settle = (outcome: ModelOutcome): void => {
        signal.removeEventListener('abort', cancel);
        this.#questions.delete(id);
        resolve(outcome);
      };
      const question: Question = { plan, order, onDelta, settle, lost: 0 };
      this.#questions.set(id, question);
      this.#ask(id, question);
    });
  }

  /** Ends the thread; what is asked has been cancelled by then. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#worker?.terminate();
  }

  #ask(id: number, { plan, order }: Question): void {
    const leftMs = order.deadline - this.#options.clock.now();
    this.#post({ do: 'ask', id, plan, order, leftMs });
  }

  #post(message: ToModelThread): void {
    (this.#worker ??= this.#start()).postMessage(message);
  }

  #start(): Worker {
    const { urls, start = startModelThread } = this.#options;
    const worker = start({ urls });
    worker.on('message', (messages: readonly FromModelThread[]) => {
      for (const message of messages) this.#take(message);
    });
    worker.on('error', err => this.#options.log.error({ err }, 'the thread that asks models has failed'));
    worker.on('exit', () => this.#lost(worker));
    return worker;
  }

  #take(message: FromModelThread): void {
    const { log, used } = this.#options;
    switch (message.is) {
      case 'delta':
        this.#questions.get(message.id)?.onDelta(message.text);
        return;
      case 'outcome':
        this.#questions.get(message.id)?.settle(message.outcome);
        return;
      case 'used':
        used(message.credential, new Date(message.at)).catch((err: unknown) =>
          log.warn({ err }, 'the use of a key was not noted'),
        );
        return;
      case 'defect':
        log.error(message.fields, message.message);
        return;
      default:
        message satisfies never;
    }
  }

  #lost(worker: Worker): void {
    if (this.#worker === worker) this.#worker = undefined;
    if (this.#closed) return;
    for (const [id, question] of [...this.#questions]) {
      if (++question.lost >= mostLost) question.settle({ failure: defect });
      else this.#ask(id, question);
    }
  }
}
