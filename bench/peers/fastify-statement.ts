/**
 * Fastify and pg with one prepared statement of data-modifying CTEs per message: one round trip, one commit. pg's default pool of
 * 10 connections.
 */
import fastify from 'fastify';
import pg from 'pg';
import { newId } from '../../protocol/ids.ts';
import { createEvent, type Inbound } from './schema.ts';

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'] });
const app = fastify();

const text = `
  with thread as (
    insert into threads values ($1, 1, $2, $2) on conflict (thread_id) do update
      set sequence = threads.sequence + 1, last_message_at = $2, updated_at = $2 returning sequence
  ), message as (
    insert into messages select $3, $1, sequence, 'inbound', $4, $2 from thread
  ), event as (
    insert into events (event_id, event_name, thread_id, occurred_at, body)
    select $5, 'thread.message.received', $1, $2, $6
  ), delivery as (
    insert into deliveries values ($7, $5, 'pending', 0, $2)
  )
  select sequence from thread`;

app.post<{ Body: Inbound }>('/*', async (request, reply) => {
  const { projectId, externalParticipantRef, body } = request.body;
  const threadId = `thread_${externalParticipantRef}`;
  const at = new Date().toISOString();
  const messageId = newId('message');
  const eventId = newId('event');
  const message = { messageId, threadId, projectId, direction: 'inbound', body, createdAt: at };
  const { rows } = await pool.query<{ sequence: string }>({
    name: 'inbound',
    text,
    values: [
      threadId,
      at,
      messageId,
      body,
      eventId,
      createEvent(eventId, at, projectId, message),
      newId('delivery'),
    ],
  });
  return await reply.code(201).send({ ...message, sequence: Number(rows[0]?.sequence) });
});

await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
process.send?.('ready');
