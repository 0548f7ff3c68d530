/** The text of one step while the model writes it, shown piece by piece on the Console's streams. Nothing of it is stored. */
import { eventText } from '../../../protocol/events.ts';
import { newId } from '../../../protocol/ids.ts';
import type { Timer } from '../../../runtime/clock.ts';
import type { StepOrder } from '../orders.ts';
import type { RunServices } from '../services.ts';

/** A piece is shown when it is this old, or this long. */
const gatherMs = 50;
const gatherCharacters = 200;
/** Of one step; the rest is seen when the step is done. */
const mostCharacters = 65_536;

export class Deltas {
  readonly #services: Pick<RunServices, 'show' | 'clock'>;
  readonly #order: StepOrder;
  #text = '';
  #shown = 0;
  #timer: Timer | undefined;

  constructor(services: Pick<RunServices, 'show' | 'clock'>, order: StepOrder) {
    this.#services = services;
    this.#order = order;
  }

  add(text: string): void {
    this.#text += text.slice(0, Math.max(0, mostCharacters - this.#shown - this.#text.length));
    if (this.#text === '') return;
    if (this.#text.length >= gatherCharacters) this.flush();
    else this.#timer ??= this.#services.clock.after(gatherMs, () => this.flush());
  }

  /** Shows what is there. */
  flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#text === '') return;
    const { clock, show } = this.#services;
    const { projectId, environmentId, threadId, agentRunId, head } = this.#order;
    const now = clock.now();
    const data = JSON.stringify({
      environmentId,
      ...(threadId === null ? {} : { threadId }),
      actor: { type: 'agent', id: head.agentId },
      agentRunId,
      delta: this.#text,
    });
    this.#shown += this.#text.length;
    this.#text = '';
    const body = eventText({
      ...{ eventId: newId('event', now), eventName: 'agent.output.delta', projectId, data },
      occurredAt: new Date(now).toISOString(),
    });
    show({ projectId, environmentId, body });
  }
}
