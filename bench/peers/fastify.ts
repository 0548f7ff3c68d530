/**
 * Fastify and pg, with prepared statements and pg's default pool of 10 connections, as most services are written. Stores a message by one transaction
 * of several statements, as the documentation of pg shows it, or by one statement of data-modifying CTEs. Reads a thread for an API key, which is
 * looked up by its hash.
 */
import { createHash } from 'node:crypto';
import fastify from 'fastify';
import pg from 'pg';
import { newId } from '../../protocol/ids.ts';
import { endWithParent } from '../support/child.ts';
import { createEvent, type Inbound } from './schema.ts';

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'] });
const app = fastify();

function prepare({ projectId, externalParticipantRef, body }: Inbound) {
  const threadId = `thread_${externalParticipantRef}`;
  const createdAt = new Date().toISOString();
  const message = { messageId: newId('message'), threadId, projectId, direction: 'inbound', body, createdAt };
  return { message, eventId: newId('event'), deliveryId: newId('delivery') };
}

const upsertThread = `
  insert into threads values ($1, 1, $2, $2) on conflict (thread_id) do update
    set sequence = threads.sequence + 1, last_message_at = $2, updated_at = $2 returning sequence`;

app.post<{ Body: Inbound }>('/transaction', async (request, reply) => {
  const { message, eventId, deliveryId } = prepare(request.body);
  const { messageId, threadId, projectId, body, createdAt: at } = message;
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query<{ sequence: string }>(upsertThread, [threadId, at]);
    const stored = { ...message, sequence: Number(rows[0]?.sequence) };
    const { sequence } = stored;
    await client.query(`insert into messages values ($1, $2, $3, 'inbound', $4, $5)`, [
      messageId,
      threadId,
      sequence,
      body,
      at,
    ]);
    await client.query(
      `insert into events (event_id, event_name, thread_id, occurred_at, body) values ($1, 'thread.message.received', $2, $3, $4)`,
      [eventId, threadId, at, createEvent(eventId, at, projectId, stored)],
    );
    await client.query(`insert into deliveries values ($1, $2, 'pending', 0, $3)`, [deliveryId, eventId, at]);
    await client.query('commit');
    return await reply.code(201).send(stored);
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
});

const storeAll = `
  with thread as (${upsertThread}),
    message as (insert into messages select $3, $1, sequence, 'inbound', $4, $2 from thread),
    event as (
      insert into events (event_id, event_name, thread_id, occurred_at, body)
      select $5, 'thread.message.received', $1, $2, $6
    ),
    delivery as (insert into deliveries values ($7, $5, 'pending', 0, $2))
  select sequence from thread`;

app.post<{ Body: Inbound }>('/statement', async (request, reply) => {
  const { message, eventId, deliveryId } = prepare(request.body);
  const { messageId, threadId, projectId, body, createdAt: at } = message;
  const event = createEvent(eventId, at, projectId, message);
  const { rows } = await pool.query<{ sequence: string }>({
    name: 'inbound',
    text: storeAll,
    values: [threadId, at, messageId, body, eventId, event, deliveryId],
  });
  return await reply.code(201).send({ ...message, sequence: Number(rows[0]?.sequence) });
});

app.get<{ Params: { threadId: string } }>('/threads/:threadId', async (request, reply) => {
  const secret = (request.headers.authorization ?? '').slice('Bearer '.length);
  const { rows: keys } = await pool.query<{ project_id: string }>({
    name: 'key',
    text: 'select project_id from keys where key_hash = $1 and revoked_at is null',
    values: [createHash('sha256').update(secret).digest()],
  });
  const [key] = keys;
  if (key === undefined) return await reply.code(401).send({ error: 'unauthorized' });
  const { rows } = await pool.query({
    name: 'thread',
    text: 'select * from threads where thread_id = $1 and project_id = $2',
    values: [request.params.threadId, key.project_id],
  });
  return rows[0] ?? (await reply.code(404).send({ error: 'not_found' }));
});

await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
endWithParent();
process.send?.('ready');
