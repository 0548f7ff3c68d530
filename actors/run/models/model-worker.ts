/**
 * `Models` in a worker thread. Asking a model takes a millisecond or two of processor time (requests, streams, checks of arguments). With
 * 200 runs that are answered at once, the messages of everybody else would wait for that on the node's own thread.
 *
 * The first question starts the worker. If the worker ends by itself, its questions are asked again in a new one, once. A model may be
 * asked twice, because nothing is committed before it has answered.
 */
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../../runtime/time/index.ts';
import type { Log } from '../../../runtime/observability/index.ts';
import type { ByokCredential } from '../../../protocol/resources/index.ts';
import type { StepRequest } from '../task-requests.ts';
import type { ProviderOutcome } from '../../base/index.ts';
import { internalFailure, type ModelOutcome, type Models, type Plan } from '../services.ts';
import type { ModelServices } from './models.ts';
import type { ModelUrls } from './urls.ts';

/** What the worker is started with. */
export interface ModelWorkerData {
  readonly urls: ModelUrls;
}

/** To the worker: plain data, cloned. `leftMs`: until the request's deadline. */
export type ToModelWorker =
  | {
      readonly do: 'ask';
      readonly id: number;
      readonly plan: Plan;
      readonly request: StepRequest;
      readonly leftMs: number;
    }
  | { readonly do: 'cancel'; readonly id: number };

/** From the worker. */
export type FromModelWorker =
  | { readonly is: 'delta'; readonly id: number; readonly text: string }
  | { readonly is: 'outcome'; readonly id: number; readonly outcome: ModelOutcome }
  | { readonly is: 'used'; readonly credential: ByokCredential }
  | { readonly is: 'attempted'; readonly provider: string; readonly outcome: ProviderOutcome }
  | { readonly is: 'defect'; readonly fields: object; readonly message: string };

export interface ModelWorkerOptions extends Pick<ModelServices, 'urls' | 'used' | 'attempted'> {
  readonly clock: Clock;
  readonly log: Log;
  /** Default: {@link startModelWorker}. */
  readonly start?: (data: ModelWorkerData) => Worker;
}

/** Starts a thread of models.worker.ts. */
export function startModelWorker(workerData: ModelWorkerData): Worker {
  return new Worker(new URL('./models.worker.ts', import.meta.url), {
    workerData,
    // The thread does not inherit the node's test runners and loaders.
    execArgv: [],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
}

interface Question {
  readonly plan: Plan;
  readonly request: StepRequest;
  readonly onDelta: (text: string) => void;
  readonly settle: (outcome: ModelOutcome) => void;
  /** How many workers were lost with it. */
  lost: number;
}

/** After so many lost workers a question fails. */
const maxLost = 2;

export class ModelWorker implements Models {
  readonly #options: ModelWorkerOptions;
  readonly #questions = new Map<number, Question>();
  #worker: Worker | undefined;
  #nextId = 1;
  #closed = false;

  constructor(options: ModelWorkerOptions) {
    this.#options = options;
  }

  answer(
    plan: Plan,
    request: StepRequest,
    signal: AbortSignal,
    onDelta: (text: string) => void,
  ): Promise<ModelOutcome> {
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
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
      const question: Question = { plan, request, onDelta, settle, lost: 0 };
      this.#questions.set(id, question);
      this.#ask(id, question);
    });
  }

  /** Ends the worker. Its questions have been cancelled by then. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#worker?.terminate();
  }

  #ask(id: number, { plan, request }: Question): void {
    const leftMs = request.deadline - this.#options.clock.now();
    this.#post({ do: 'ask', id, plan, request, leftMs });
  }

  #post(message: ToModelWorker): void {
    (this.#worker ??= this.#start()).postMessage(message);
  }

  #start(): Worker {
    const { urls, start = startModelWorker } = this.#options;
    const worker = start({ urls });
    worker.on('message', (messages: readonly FromModelWorker[]) => {
      for (const message of messages) this.#take(message);
    });
    worker.on('error', err => this.#options.log.error({ err }, 'the thread that asks models has failed'));
    worker.on('exit', () => this.#onExit(worker));
    return worker;
  }

  #take(message: FromModelWorker): void {
    const { clock, log, used, attempted } = this.#options;
    switch (message.is) {
      case 'delta':
        this.#questions.get(message.id)?.onDelta(message.text);
        return;
      case 'outcome':
        this.#questions.get(message.id)?.settle(message.outcome);
        return;
      case 'used':
        used(message.credential, new Date(clock.now())).catch((err: unknown) =>
          log.warn({ err }, 'could not record key usage'),
        );
        return;
      case 'attempted':
        attempted(message.provider, message.outcome);
        return;
      case 'defect':
        log.error(message.fields, message.message);
        return;
      default:
        message satisfies never;
    }
  }

  #onExit(worker: Worker): void {
    if (this.#worker === worker) this.#worker = undefined;
    if (this.#closed) return;
    for (const [id, question] of [...this.#questions]) {
      if (++question.lost >= maxLost) question.settle({ failure: internalFailure });
      else this.#ask(id, question);
    }
  }
}
