/** An external reference names one thread of its channel, also when several requests create it at once. */
import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { Thread } from '../../protocol/resources/thread.ts';
import { shareSkein } from '../support/skein.ts';
import type { Refusal } from './client.ts';

t.test('of twelve requests with different keys one creates the thread, and the others name it', async t => {
  const { key, projectId, environmentId, channelId } = await (await shareSkein(t)).tenant();
  const body = { projectId, environmentId, channelId, externalRef: 'carol' };
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => key.ask<Thread & Refusal>('createThread', { body, key: randomUUID() })),
  );
  const [made, ...more] = answers.filter(({ status }) => status === 201);
  t.same(more, []);
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    t.match(answer, {
      status: 409,
      body: { error: 'svc/runtime/conflict', details: { threadId: made?.body.threadId } },
    });
  }
});
