/** How calls of providers end, attempt by attempt: of models, and of the chat provider. Attempts that are tried again count, too. */
import { Counter, type Registry } from 'prom-client';

/**
 * - `rate_limited`: too much at once, or too much for what was paid.
 * - `credentials_refused`: the key, the token or the account.
 * - `timeout`: no answer in time.
 * - `unreachable`: no connection, or one that broke.
 * - `server_error`: the provider says that the fault is its own.
 * - `invalid_answer`: what came is none of the provider's answers.
 * - `refused`: what was asked for.
 */
export type ProviderOutcome =
  | 'succeeded'
  | 'rate_limited'
  | 'credentials_refused'
  | 'timeout'
  | 'unreachable'
  | 'server_error'
  | 'invalid_answer'
  | 'refused';

export class ProviderCalls {
  readonly #counts = new Map<string, Map<ProviderOutcome, number>>();

  constructor(registry: Registry) {
    const counts = this.#counts;
    new Counter({
      name: 'skein_provider_calls_total',
      help: 'Calls of providers by how they ended',
      labelNames: ['provider', 'outcome'],
      registers: [registry],
      collect(): void {
        this.reset();
        for (const [provider, byOutcome] of counts) {
          for (const [outcome, count] of byOutcome) this.inc({ provider, outcome }, count);
        }
      },
    });
  }

  /** @param provider a name known to the code: `chatapp`, or one of a model's provider */
  count(provider: string, outcome: ProviderOutcome): void {
    let byOutcome = this.#counts.get(provider);
    if (byOutcome === undefined) this.#counts.set(provider, (byOutcome = new Map()));
    byOutcome.set(outcome, (byOutcome.get(outcome) ?? 0) + 1);
  }
}
