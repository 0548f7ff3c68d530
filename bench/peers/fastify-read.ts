/**
 * Fastify and pg reading one thread for an API key: the key is looked up by its hash, then the thread in the key's project. Both
 * statements are prepared; pg's default pool of 10 connections.
 */
import { createHash } from 'node:crypto';
import fastify from 'fastify';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'] });
const app = fastify();

app.get<{ Params: { threadId: string } }>('/threads/:threadId', async (request, reply) => {
  const secret = (request.headers.authorization ?? '').slice('Bearer '.length);
  const keys = await pool.query<{ project_id: string }>({
    name: 'key',
    text: 'select project_id from keys where key_hash = $1 and revoked_at is null',
    values: [createHash('sha256').update(secret).digest()],
  });
  const [key] = keys.rows;
  if (key === undefined) return await reply.code(401).send({ error: 'unauthorized' });
  const { rows } = await pool.query({
    name: 'thread',
    text: 'select * from threads where thread_id = $1 and project_id = $2',
    values: [request.params.threadId, key.project_id],
  });
  return rows[0] ?? (await reply.code(404).send({ error: 'not_found' }));
});

await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
process.send?.('ready');
