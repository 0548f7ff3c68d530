/**
 * Fastify and pg with one transaction per message, as the documentation of pg shows it, with its default pool of 10
 * connections: how most services are written.
 */
import fastify from 'fastify';
import pg from 'pg';
import { newId } from '../../protocol/ids.ts';
import { createEvent, type Inbound } from './schema.ts';

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'] });
const app = fastify();

app.post<{ Body: Inbound }>('/*', async (request, reply) => {
  const { projectId, externalParticipantRef, body } = request.body;
  const threadId = `thread_${externalParticipantRef}`;
  const at = new Date().toISOString();
  const messageId = newId('message');
  const eventId = newId('event');
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query<{ sequence: string }>(
      `insert into threads values ($1, 1, $2, $2) on conflict (thread_id) do update
        set sequence = threads.sequence + 1, last_message_at = $2, updated_at = $2 returning sequence`,
      [threadId, at],
    );
    const sequence = Number(rows[0]?.sequence);
    const message = { messageId, threadId, projectId, direction: 'inbound', body, sequence, createdAt: at };
    await client.query('insert into messages values ($1, $2, $3, $4, $5, $6)', [
      messageId,
      threadId,
      sequence,
      'inbound',
      body,
      at,
    ]);
    await client.query(
      'insert into events (event_id, event_name, thread_id, occurred_at, body) values ($1, $2, $3, $4, $5)',
      [eventId, 'thread.message.received', threadId, at, createEvent(eventId, at, projectId, message)],
    );
    await client.query('insert into deliveries values ($1, $2, $3, 0, $4)', [
      newId('delivery'),
      eventId,
      'pending',
      at,
    ]);
    await client.query('commit');
    return await reply.code(201).send(message);
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
});

await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
process.send?.('ready');
