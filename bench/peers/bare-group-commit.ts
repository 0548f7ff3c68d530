/**
 * The limit: uWebSockets.js and a bare group commit on two connections, and nothing else. No authentication, no validation, no
 * idempotency, no actors; the thread's number comes from a counter in memory. What Skein does is measured against this.
 */
import pg from 'pg';
import { App } from 'uWebSockets.js';
import { newId } from '../../protocol/ids.ts';
import { eventOf, type Inbound } from './schema.ts';

interface Waiting {
  readonly row: object;
  readonly threadId: string;
  readonly answer: (text: string) => void;
  readonly text: string;
}

const statements = [
  `insert into threads select "threadId", sequence, "createdAt", "createdAt" from
     (select distinct on ("threadId") * from json_to_recordset($1::json) as r("threadId" text, sequence bigint, "createdAt" timestamptz) order by "threadId", sequence desc) r
   on conflict (thread_id) do update set sequence = excluded.sequence, last_message_at = excluded.last_message_at, updated_at = excluded.updated_at`,
  `insert into messages select "messageId", "threadId", sequence, 'inbound', body, "createdAt"
   from json_to_recordset($1::json) as r("messageId" text, "threadId" text, sequence bigint, body text, "createdAt" timestamptz)`,
  `insert into events (event_id, event_name, thread_id, occurred_at, body) select "eventId", 'thread.message.received', "threadId", "createdAt", event
   from json_to_recordset($1::json) as r("eventId" text, "threadId" text, "createdAt" timestamptz, event json)`,
  `insert into deliveries select "deliveryId", "eventId", 'pending', 0, "createdAt"
   from json_to_recordset($1::json) as r("deliveryId" text, "eventId" text, "createdAt" timestamptz)`,
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
      const rows = JSON.stringify(batch.map(entry => entry.row));
      const queries = statements.map((text, index) =>
        client.query({ name: `s${index}`, text, values: [rows] }),
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
  const event = JSON.parse(eventOf(eventId, createdAt, projectId, message)) as object;
  const lane = lanes[threadId.charCodeAt(threadId.length - 1) % lanes.length];
  lane?.({
    row: { ...message, eventId, event, deliveryId: newId('delivery') },
    threadId,
    answer,
    text: JSON.stringify(message),
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
