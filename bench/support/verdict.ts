/** Counts the faults in acknowledged messages and in the webhooks of their events, by the checkers of the cluster's tests. */
import type { WebhookDelivery } from '../../protocol/resources/delivery.ts';
import type { EventEnvelope } from '../../protocol/resources/event.ts';
import type { Client } from '../../test/node/client.ts';
import { inspectThreads } from '../../test/node/history.ts';
import type { Webhooks, WebhookFault } from '../../test/node/webhooks.ts';
import type { Load } from '../../test/cluster/support/load.ts';
import { eventually } from '../../test/support/eventually.ts';

export interface Verdict {
  /** Messages and threads. */
  readonly acknowledged: number;
  readonly lost: number;
  /** Stored more than once, or stored although no answer acknowledged it. */
  readonly doubled: number;
  /** Against the order of the answers, or with a gap in the numbers of their thread. */
  readonly outOfOrder: number;
  /** The first of these, for the terminal. */
  readonly faults: readonly string[];
}

/** Reads every thread of the project. Stop the loads before. */
export async function createVerdict(
  key: Client,
  projectId: string,
  loads: readonly Load[],
): Promise<Verdict> {
  const messages = loads.flatMap(load => load.messages);
  const threads = loads.flatMap(load => load.threads);
  const {
    threads: found,
    messages: history,
    gaps,
  } = await inspectThreads({ key, projectId }, { messages, threads });
  const lost = [...history.lost, ...found.missing];
  const doubled = [...history.doubled, ...history.invented, ...found.unexpected];
  const outOfOrder = [...history.disordered, ...gaps];
  return {
    acknowledged: messages.length + threads.length,
    lost: lost.length,
    doubled: doubled.length + found.doubled,
    outOfOrder: outOfOrder.length,
    faults: [...lost, ...doubled, ...outOfOrder].slice(0, 5),
  };
}

export interface DeliveryVerdict {
  /** Of every event to every stitch. */
  readonly due: number;
  /** Those that never came, and those that are recorded as failed or cancelled. */
  readonly lost: number;
  /** Under the id of another event, with other bytes than before, or with a wrong signature. */
  readonly wrong: number;
  /** Events with two deliveries. */
  readonly doubled: number;
  /** Arrived after a later event of their thread without an earlier refusal. */
  readonly outOfOrder: number;
  /** Sent again under the same id: no fault. */
  readonly repeated: number;
  readonly refused: number;
  /** The first of the faults, for the terminal. */
  readonly faults: readonly string[];
}

/**
 * Holds the project's events against what receivers of stitches got, each of which wants everything and was made after the project's
 * channel. Waits until nothing is open.
 */
export async function createDeliveryVerdict(
  key: Client,
  projectId: string,
  receivers: readonly Webhooks[],
): Promise<DeliveryVerdict> {
  const list = (status: string): Promise<readonly WebhookDelivery[]> =>
    key.all<WebhookDelivery>('listDeliveries', { query: { projectId, status } });
  await eventually('end of every delivery', async () => {
    const open = await Promise.all(['pending', 'delivering', 'retrying'].map(list));
    return open.flat().length === 0;
  });
  const given = (await Promise.all(['failed', 'cancelled'].map(list))).flat();
  const events = (await key.all<EventEnvelope>('listEvents', { query: { projectId } })).reverse();
  const since = events.findIndex(({ eventName }) => eventName === 'channel.lifecycle.created') + 1;
  const due = events.slice(since).map(({ eventId }) => eventId);
  const lost = receivers.flatMap(({ bodies }) => due.filter(eventId => !bodies.has(eventId)));
  const faults = receivers.flatMap(each => each.faults);
  const count = (...sorts: readonly WebhookFault['sort'][]): number =>
    faults.filter(({ sort }) => sorts.includes(sort)).length;
  const sum = (of: (each: Webhooks) => number): number => receivers.reduce((all, each) => all + of(each), 0);
  return {
    due: due.length * receivers.length,
    lost: lost.length + given.length,
    wrong: count('content', 'signature'),
    doubled: count('repeat'),
    outOfOrder: count('order'),
    repeated: sum(({ repeats }) => repeats),
    refused: sum(({ refused }) => refused.size),
    faults: [
      ...lost.map(eventId => `${eventId} did not come`),
      ...given.map(({ deliveryId, status }) => `${deliveryId} is ${status}`),
      ...faults.map(({ what }) => what),
    ].slice(0, 5),
  };
}
