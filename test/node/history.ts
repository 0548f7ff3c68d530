/** Holds what a node shows after a hard time against what it had acknowledged. */
import type { Test } from 'tap';
import type { ConsoleStreamEvent } from '../../protocol/resources/console.ts';
import type { WebhookDelivery } from '../../protocol/resources/delivery.ts';
import type { EventEnvelope } from '../../protocol/resources/event.ts';
import type { Message } from '../../protocol/resources/message.ts';
import type { Thread } from '../../protocol/resources/thread.ts';
import type { Senders } from './senders.ts';
import type { Tenant } from './tenant.ts';
import { eventually } from './eventually.ts';
import type { Webhooks } from './webhooks.ts';

/** Not in its place or not there at all, as few words as tell which. */
function difference(found: readonly string[], wanted: readonly string[]): object {
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

/** Every acknowledged message is there, once, in the order of its sender; numbers have no gaps. */
export async function checkThreads(
  t: Test,
  tenant: Tenant,
  senders: Pick<Senders, 'messages' | 'threads'>,
): Promise<void> {
  const { key, projectId } = tenant;
  const threads = await key.all<Thread>('listThreads', { query: { projectId } });
  const byThread = Map.groupBy(senders.messages, ({ message }) => message.threadId);
  const known = [...byThread.keys(), ...senders.threads.map(({ threadId }) => threadId)];
  t.same(
    difference(
      threads.map(({ threadId }) => threadId),
      known,
    ),
    nothing,
    'every thread once',
  );

  const wrong: string[] = [];
  for (const { threadId, sequence } of threads) {
    const messages = await key.all<Message>('listMessages', { params: { threadId } });
    const sent = byThread.get(threadId) ?? [];
    const ids = difference(
      messages.map(({ messageId }) => messageId),
      sent.map(({ message }) => message.messageId),
    );
    if (JSON.stringify(ids) !== JSON.stringify(nothing)) wrong.push(`${threadId}: ${JSON.stringify(ids)}`);
    for (const own of Map.groupBy(messages, ({ body }) => body.split(' ')[0]).values()) {
      const numbers = own.map(({ body }) => Number(body.split(' ')[1]));
      if (String(numbers) !== String(upTo(numbers.length)))
        wrong.push(`${threadId}: order ${numbers.join()}`);
    }
    const events = await key.all<EventEnvelope>('listEvents', { query: { projectId, threadId } });
    const sequences = events.map(({ data }) => Number(data['sequence'])).reverse();
    if (String(sequences) !== String(upTo(sequence ?? 0)))
      wrong.push(`${threadId}: ${sequence} events, ${sequences.join()}`);
  }
  t.same(wrong, [], 'every message once, in the order of its sender, and dense numbers in every thread');
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
  t.same(webhooks.faults, [], 'with a valid signature and the same bytes each time');

  // The row is written after the receiver's answer, and nothing tells of it: it is looked at until it is so.
  await eventually('delivery of every event in the list', async () => {
    const deliveries = await key.all<WebhookDelivery>('listDeliveries', { query: { projectId } });
    const open = deliveries.filter(({ status }) => status !== 'delivered');
    return open.length === 0 && deliveries.length === due.length;
  });
  return stream.length;
}
