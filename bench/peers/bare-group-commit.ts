/**
 * The limit: uWebSockets.js and a bare group commit on two connections, and nothing else. No authentication, no validation, no
 * idempotency, no actors; the thread's number comes from a counter in memory. What Skein does is measured against this.
 */
import pg from 'pg';
import { App } from 'uWebSockets.js';
import { newId } from '../../protocol/ids.ts';
import { endWithParent } from '../support/child.ts';
import { createEvent, type Inbound } from './schema.ts';

interface Waiting {
  readonly messageId: string;
  readonly threadId: string;
  readonly sequence: number;
  readonly body: string;
  readonly createdAt: string;
  readonly eventId: string;
  readonly event: string;
  readonly deliveryId: string;
  readonly text: string;
  readonly answer: (text: string) => void;
}

type Columns = readonly (readonly (string | number)[])[];

const pick =
  (...fields: readonly Exclude<keyof Waiting, 'answer'>[]) =>
  (batch: readonly Waiting[]): Columns =>
    fields.map(field => batch.map(row => row[field]));

const statements: readonly { readonly text: string; columns(batch: readonly Waiting[]): Columns }[] = [
  {
    text: `insert into threads select *, at from unnest($1::text[], $2::bigint[], $3::timestamptz[]) as r(id, sequence, at)
      on conflict (thread_id) do update set sequence = excluded.sequence, last_message_at = excluded.last_message_at,
        updated_at = excluded.updated_at`,
    columns(batch) {
      const last = new Map(batch.map(row => [row.threadId, row]));
      return pick('threadId', 'sequence', 'createdAt')([...last.values()]);
    },
  },
  {
    text: `insert into messages select id, thread, sequence, 'inbound', body, at
      from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::timestamptz[]) as r(id, thread, sequence, body, at)`,
    columns: pick('messageId', 'threadId', 'sequence', 'body', 'createdAt'),
  },
  {
    text: `insert into events (event_id, event_name, thread_id, occurred_at, body)
      select id, 'thread.message.received', thread, at, body::json
      from unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[]) as r(id, thread, at, body)`,
    columns: pick('eventId', 'threadId', 'createdAt', 'event'),
  },
  {
    text: `insert into deliveries select id, event, 'pending', 0, at
      from unnest($1::text[], $2::text[], $3::timestamptz[]) as r(id, event, at)`,
    columns: pick('deliveryId', 'eventId', 'createdAt'),
  },
];

/** A connection with the rows that wait for it; a thread always uses the same one. */
async function openLane(): Promise<(waiting: Waiting) => void> {
  const client = new pg.Client({ connectionString: process.env['DATABASE_URL'], pipeline: true });
  await client.connect();
  const queue: Waiting[] = [];
  let busy = false;
  const flush = async (): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.splice(0, 500);
      const queries = statements.map(({ text, columns }, index) =>
        client.query({ name: `s${index}`, text, values: [...columns(batch)] }),
      );
      await Promise.all([client.query('begin'), ...queries, client.query('commit')]);
      for (const entry of batch) entry.answer(entry.text);
    }
    busy = false;
  };
  return waiting => {
    queue.push(waiting);
    if (busy) return;
    busy = true;
    setImmediate(() => void flush());
  };
}

const lanes = [await openLane(), await openLane()];
const sequences = new Map<string, number>();

function receive(text: string, answer: (text: string) => void): void {
  const { projectId, externalParticipantRef, body } = JSON.parse(text) as Inbound;
  const threadId = `thread_${externalParticipantRef}`;
  const createdAt = new Date().toISOString();
  const sequence = (sequences.get(threadId) ?? 0) + 1;
  sequences.set(threadId, sequence);
  const message = {
    messageId: newId('message'),
    threadId,
    projectId,
    direction: 'inbound',
    body,
    sequence,
    createdAt,
  };
  const eventId = newId('event');
  const lane = lanes[threadId.charCodeAt(threadId.length - 1) % lanes.length];
  lane?.({
    ...message,
    eventId,
    event: createEvent(eventId, createdAt, projectId, message),
    deliveryId: newId('delivery'),
    text: JSON.stringify(message),
    answer,
  });
}

App()
  .post('/*', response => {
    let aborted = false;
    let text = '';
    response.onAborted(() => (aborted = true));
    response.onData((chunk, last) => {
      text += Buffer.from(chunk).toString();
      if (!last) return;
      receive(text, answer => {
        if (aborted) return;
        response.cork(() =>
          response.writeStatus('201 Created').writeHeader('content-type', 'application/json').end(answer),
        );
      });
    });
  })
  .listen('127.0.0.1', Number(process.env['PORT']), () => void process.send?.('ready'));
endWithParent();
