/** Holds what a node shows after a hard time against what it had acknowledged. */
import type { Test } from 'tap';
import type { ConsoleStreamEvent } from '../../protocol/resources/console.ts';
import type { WebhookDelivery } from '../../protocol/resources/delivery.ts';
import type { EventEnvelope } from '../../protocol/resources/event.ts';
import type { Message } from '../../protocol/resources/message.ts';
import type { Thread } from '../../protocol/resources/thread.ts';
import { checkHistory, nothingFound, type Findings } from '../support/history.ts';
import type { Senders } from './senders.ts';
import type { Tenant } from './tenant.ts';
import { eventually } from '../support/eventually.ts';
import type { Webhooks } from './webhooks.ts';

/** What is not in its place or not there at all, as few words as tell which. */
interface Difference {
  readonly missing: readonly string[];
  readonly unexpected: readonly string[];
  readonly doubled: number;
}

function difference(found: readonly string[], wanted: readonly string[]): Difference {
  const had = new Set(found);
  const has = new Set(wanted);
  return {
    missing: wanted.filter(each => !had.has(each)),
    unexpected: found.filter(each => !has.has(each)),
    doubled: found.length - had.size,
  };
}

const nothing = { missing: [], unexpected: [], doubled: 0 };
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

/** Of the threads that a node shows, held against what was acknowledged. */
export interface ThreadFindings {
  readonly threads: Difference;
  readonly messages: Findings;
  /** Threads whose events are not numbered 1, 2, 3 ... */
  readonly gaps: readonly string[];
}

/** Reads every thread of the project, its messages and its events. */
export async function inspectThreads(
  { key, projectId }: Pick<Tenant, 'key' | 'projectId'>,
  senders: Pick<Senders, 'messages' | 'threads'>,
): Promise<ThreadFindings> {
  const threads = await key.all<Thread>('listThreads', { query: { projectId } });
  const known = new Set([...senders.messages.map(({ message }) => message.threadId)]);
  for (const { threadId } of senders.threads) known.add(threadId);

  const truth = new Map<string, readonly string[]>();
  const gaps: string[] = [];
  for (const { threadId, sequence } of threads) {
    truth.set(threadId, (await key.all<Message>('listMessages', { params: { threadId } })).map(toName));
    const events = await key.all<EventEnvelope>('listEvents', { query: { projectId, threadId } });
    const sequences = events.map(({ data }) => Number(data['sequence'])).reverse();
    if (String(sequences) !== String(upTo(sequence ?? 0)))
      gaps.push(`${threadId}: ${sequence} events, ${sequences.join()}`);
  }
  const operations = senders.messages.map(({ sender, message, ...times }) => ({
    client: `sender ${sender}`,
    actor: message.threadId,
    id: toName(message),
    ...times,
    outcome: 'ok' as const,
  }));
  const found = threads.map(({ threadId }) => threadId);
  return { threads: difference(found, [...known]), messages: checkHistory({ operations }, truth), gaps };
}

/** Every acknowledged message is there, once, as it was acknowledged, after those that were answered before; numbers have no gaps. */
export async function checkThreads(
  t: Test,
  tenant: Tenant,
  senders: Pick<Senders, 'messages' | 'threads'>,
): Promise<void> {
  const { threads, messages, gaps } = await inspectThreads(tenant, senders);
  t.same(threads, nothing, 'every thread once');
  t.same(messages, nothingFound, 'every message once, in the order of the answers');
  t.same(gaps, [], 'dense numbers in every thread');
}

/** With its text, so that it is there as it was acknowledged. */
function toName({ messageId, body }: Message): string {
  return `${messageId} ${body}`;
}

/**
 * The project's events are numbered without gaps, and each was delivered, signed, with the same bytes each time. Gives the last
 * number.
 */
export async function checkEvents(t: Test, tenant: Tenant, webhooks: Webhooks): Promise<number> {
  const { key, person, projectId } = tenant;
  const stream = await person.all<ConsoleStreamEvent>('listStreamEvents', { params: { projectId } });
  t.same(
    stream.map(({ seq }) => seq),
    upTo(stream.length),
    'the project numbers its events without gaps',
  );
  t.equal(new Set(stream.map(({ eventId }) => eventId)).size, stream.length, 'every event once');
  // What happened before there was a stitch is not its business.
  const since = stream.findIndex(({ eventName }) => eventName === 'channel.lifecycle.created') + 1;
  const due = stream.slice(since).map(({ eventId }) => eventId);
  await webhooks.arrived(due);
  t.same(difference([...webhooks.bodies.keys()], due), nothing, 'every event was delivered');
  t.same(
    webhooks.faults,
    [],
    'signed, with the same bytes each time, in the order of each thread, none when it was settled',
  );

  // The row is written after the receiver's answer, and nothing tells of it: it is looked at until it is so.
  let deliveryIds: readonly string[] = [];
  await eventually('delivery of every event in the list', async () => {
    const deliveries = await key.all<WebhookDelivery>('listDeliveries', { query: { projectId } });
    deliveryIds = deliveries.map(({ deliveryId }) => deliveryId);
    const open = deliveries.filter(({ status }) => status !== 'delivered');
    return open.length === 0 && deliveries.length === due.length;
  });
  t.same(
    difference([...webhooks.deliveryIds.values()], deliveryIds),
    nothing,
    'under the ids that are listed',
  );
  webhooks.settle(deliveryIds);
  return stream.length;
}
