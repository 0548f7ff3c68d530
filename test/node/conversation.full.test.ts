/** Typing and files through a whole node: what is wired together only there. */
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { WebSocket } from 'ws';
import type { AttachmentLink, AttachmentUpload } from '../../protocol/resources/attachment.ts';
import type { Message } from '../../protocol/resources/message.ts';
import { startTestDatabase } from '../support/database.ts';
import { NodeProcess } from '../support/node-process.ts';
import { Line } from './client.ts';
import { keepsSecrets } from './secrets.ts';
import { signUp } from './tenant.ts';

interface Frame {
  readonly type: string;
  readonly seq?: number;
  readonly event?: { readonly eventName: string; readonly data: Readonly<Record<string, unknown>> };
}

const { url } = await startTestDatabase(t);
const mediaFolder = t.testdir({});
const node = await NodeProcess.make(t, { DATABASE_URL: url, MEDIA_URL: `file://${mediaFolder}` });
await node.start();
const line = new Line(node.url, t);
const tenant = await signUp(line);
const { key, person, projectId, environmentId, channelId } = tenant;
const { threadId } = await key.get<Message>('createInboundMessage', {
  params: { channelId },
  body: { projectId, externalParticipantRef: 'ada', body: 'hello' },
});

t.test('operators see each other type, and nothing of it is numbered', async t => {
  const at = `${node.url.replace('http', 'ws')}/v1/console/projects/${projectId}/events/stream`;
  const socket = new WebSocket(at, { headers: { authorization: `Bearer ${key.bearer ?? ''}` } });
  t.teardown(() => socket.terminate());
  const frames: Frame[] = [];
  let wake: () => void = () => undefined;
  socket.on('message', data => {
    frames.push(JSON.parse(String(data as Buffer)) as Frame);
    wake();
  });
  const frame = async (matches: (frame: Frame) => boolean): Promise<Frame> => {
    for (;;) {
      const found = frames.find(matches);
      if (found !== undefined) return found;
      await new Promise<void>(resolve => (wake = resolve));
    }
  };
  await new Promise(resolve => socket.once('open', resolve));
  socket.send('{"type":"resume"}');
  const { seq } = await frame(({ type }) => type === 'resumed');
  await person.get('setTyping', { params: { threadId }, body: { projectId, state: 'started' } });
  const shown = await frame(({ event }) => event?.eventName === 'thread.typing.started');
  t.match(shown.event?.data, { threadId, environmentId, actor: { type: 'user', id: tenant.userId } });
  t.notOk('seq' in shown);
  await person.get('createNote', { params: { threadId }, body: { projectId, body: 'a note' } });
  const noted = await frame(({ event }) => event?.eventName === 'thread.note.created');
  t.equal(noted.seq, (seq ?? 0) + 1);
});

t.test('a file is uploaded, sent in a message and downloaded', async t => {
  const bytes = randomBytes(2_000_000);
  const { attachmentId, uploadUrl } = await key.get<AttachmentUpload>('createAttachment', {
    body: { projectId, filename: 'photo.jpg', mimeType: 'image/jpeg', sizeBytes: bytes.length },
  });
  t.ok(uploadUrl.startsWith(`${node.url}/media/`));
  t.equal((await fetch(uploadUrl, { method: 'PUT', body: bytes })).status, 204);
  const message = await key.get<Message>('createMessage', {
    params: { threadId },
    body: { projectId, body: 'look', attachments: [{ kind: 'image', attachmentId }] },
  });
  t.match(message.attachments, [{ attachmentId, sizeBytes: bytes.length, mimeType: 'image/jpeg' }]);
  const [name, ...others] = await readdir(join(mediaFolder, projectId, environmentId));
  t.ok(name?.startsWith(attachmentId), String(name));
  t.same(others, []);
  const link = await person.get<AttachmentLink>('getAttachmentUrl', { params: { attachmentId } });
  const answer = await fetch(link.url);
  t.strictSame(Buffer.from(await answer.arrayBuffer()), bytes);

  // A node that was restarted, as one of several would, has the same keys and files.
  t.match(await node.stop(), { code: 0 });
  await node.start();
  const again = await fetch(link.url.replace(/^http:\/\/[^/]+/, node.url));
  t.strictSame(Buffer.from(await again.arrayBuffer()), bytes);
});

t.test('the log shows no secret', async t => keepsSecrets(t, node.output, line));
