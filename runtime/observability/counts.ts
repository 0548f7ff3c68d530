/** Counters by one label, for paths that should not hash labels: a count is one look into a map. */
import { Counter, type Registry } from 'prom-client';

/** The label's values must be few, and known to the code: codes, classes and names, never ids. */
export class CountsBy {
  readonly #counts = new Map<string, number>();

  constructor(registry: Registry, name: string, help: string, label: string) {
    const counts = this.#counts;
    new Counter({
      name,
      help,
      labelNames: [label],
      registers: [registry],
      collect(): void {
        this.reset();
        for (const [value, count] of counts) this.inc({ [label]: value }, count);
      },
    });
  }

  add(value: string, count = 1): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + count);
  }
}
