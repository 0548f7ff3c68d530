/**
 * The reports of all nodes. A node asks on one topic and is answered on another, which is its own. A node of a release that does not know
 * the question hears nothing of it: it is missing from what comes back, and nothing waits longer for it than for one that hangs.
 */
import { randomUUID } from 'node:crypto';
import type { Log } from '../../runtime/observability/index.ts';
import { type Clock, completesWithin } from '../../runtime/time/index.ts';
import type { Transport } from '../../runtime/transport/index.ts';
import { type NodeReport, reportFormat } from './node-report.ts';

const questionTopic = 'system.asked';
/** How long the others have. */
const defaultTimeoutMs = 1_000;

interface Question {
  readonly question: string;
  /** The topic of whoever asks. */
  readonly replyTo: string;
}

interface Answer {
  readonly question: string;
  readonly report: NodeReport;
}

export interface ReportsOptions {
  readonly nodeId: string;
  readonly transport: Pick<Transport, 'publish' | 'subscribe'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly report: () => Promise<NodeReport>;
  /** Default 1,000. */
  readonly timeoutMs?: number;
}

export class Reports {
  readonly #options: ReportsOptions;
  /** New for each process, so that nobody gets what was meant for a former one. */
  readonly #replyTo = `system.told.${randomUUID()}`;
  readonly #asked = new Map<string, (report: NodeReport) => void>();
  readonly #unsubscribe: readonly (() => void)[];
  /** Whoever asks meanwhile gets the same: many who ask cost a node one report. */
  #making: Promise<NodeReport> | undefined;

  constructor(options: ReportsOptions) {
    this.#options = options;
    const { transport } = options;
    this.#unsubscribe = [
      transport.subscribe(questionTopic, text => this.#onQuestion(JSON.parse(text) as Question)),
      transport.subscribe(this.#replyTo, text => this.#onAnswer(JSON.parse(text) as Answer)),
    ];
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  /** This node's, and those of the others that answer in time. */
  async ask(others: ReadonlySet<string>): Promise<NodeReport[]> {
    const { transport, clock, timeoutMs = defaultTimeoutMs } = this.#options;
    const found = new Map<string, NodeReport>();
    const question = randomUUID();
    const complete = new Promise<void>(resolve => {
      if (others.size === 0) return resolve();
      this.#asked.set(question, report => {
        if (others.has(report.nodeId)) found.set(report.nodeId, report);
        if (found.size === others.size) resolve();
      });
    });
    if (others.size > 0) {
      transport.publish(
        questionTopic,
        JSON.stringify({ question, replyTo: this.#replyTo } satisfies Question),
      );
    }
    try {
      const [own] = await Promise.all([this.#make(), completesWithin(clock, timeoutMs, complete)]);
      return [own, ...found.values()];
    } finally {
      this.#asked.delete(question);
    }
  }

  #onQuestion({ question, replyTo }: Question): void {
    // A question reaches every node, whoever asks included.
    if (replyTo === this.#replyTo) return;
    const { transport, log } = this.#options;
    this.#make().then(
      report => transport.publish(replyTo, JSON.stringify({ question, report } satisfies Answer)),
      (err: unknown) => log.warn({ err }, 'another node asked how this one does, and it cannot tell'),
    );
  }

  #onAnswer({ question, report }: Answer): void {
    if (report.format === reportFormat) this.#asked.get(question)?.(report);
  }

  #make(): Promise<NodeReport> {
    return (this.#making ??= this.#options.report().finally(() => (this.#making = undefined)));
  }
}
