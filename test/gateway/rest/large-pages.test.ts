/** Pages of lists have at most 1 MiB, also where rows of older releases are larger than today's requests may make them. */
import t from 'tap';
import type { OperationId } from '../../../protocol/operations/table.ts';
import { maxFreeFormBytes } from '../../../protocol/merge-patch.ts';
import { maxPageBytes } from '../../../storage/paging/page-rows.ts';
import type { Asked, ListOf, Refusal, Reply } from '../../node/client.ts';
import { shareSkein } from '../../support/skein.ts';

const skein = await shareSkein(t);
const count = 5;
const rowBytes = 400_000;

t.test('a list of large rows comes in pages of 1 MiB, and shows each row once', async t => {
  const { key, projectId, environmentId, channelId } = await skein.tenant();
  const scope = { projectId, environmentId };
  const named = (n: number) => ({ ...scope, name: `one ${n}` });
  const make = (id: OperationId, toAsked: (n: number) => Asked) =>
    Promise.all(Array.from({ length: count }, (_, n) => key.get<Record<string, string>>(id, toAsked(n))));
  const loom = { systemPrompt: 'Answer.', provider: 'llm_provider_1', model: 'model-1' };
  const [, , , , agents] = await Promise.all([
    make('createChannel', n => ({ body: { ...named(n), kind: 'custom' } })),
    make('createStitch', n => ({ body: { ...named(n), webhookUrl: 'https://receiver.example/hook' } })),
    make('createTool', n => ({ body: { ...named(n), url: 'https://tool.example/' } })),
    make('createLoom', n => ({ body: { ...named(n), ...loom } })),
    make('createAgent', n => ({ body: named(n) })),
    make('createInboundMessage', n => ({
      params: { channelId },
      body: { projectId, externalParticipantRef: `participant ${n}`, body: 'needle' },
    })),
  ]);
  const { threadId } = await key.get<{ threadId: string }>('createThread', { body: scope });
  for (let n = 0; n < count; n++)
    await key.get('createMessage', { params: { threadId }, body: { projectId, body: `message ${n}` } });
  t.equal(agents.length, count);
  for (const table of ['channels', 'stitches', 'tools', 'looms', 'agents', 'threads', 'messages']) {
    await skein.database.query(
      `update ${table} set metadata = jsonb_build_object('old', repeat('x', ${rowBytes})) where project_id = $1`,
      [projectId],
    );
  }
  const lists: readonly (readonly [OperationId, number, Asked?])[] = [
    ['listChannels', count + 1],
    ['listStitches', count],
    ['listTools', count],
    ['listLooms', count],
    ['listAgents', count],
    ['listThreads', count + 1],
    // Looks through an index for what fits.
    ['listThreads', count, { query: { ...scope, awaitingReply: true } }],
    ['listMessages', count, { params: { threadId }, query: {} }],
    ['listPersonalData', count + 1, { params: { threadId }, query: {} }],
  ];
  for (const [id, expected, { params, query } = {}] of lists) {
    const seen = new Set<string>();
    let cursor: string | null = null;
    let shown = 0;
    do {
      const page: Asked['query'] = {
        ...(query ?? scope),
        limit: 100,
        ...(cursor === null ? {} : { cursor }),
      };
      const asked: Asked = { ...(params && { params }), query: page };
      const { text, body }: Reply<ListOf<object>> = await key.ask(id, asked);
      t.ok(text.length < maxPageBytes + rowBytes, `${id}: ${text.length} bytes`);
      t.equal(body.hasMore, body.nextCursor !== null, id);
      t.ok(body.data.length > 0, id);
      shown += body.data.length;
      for (const item of body.data) seen.add(JSON.stringify(item));
      cursor = body.nextCursor;
    } while (cursor !== null);
    t.strictSame([shown, seen.size], [expected, expected], `${id}: every row, once`);
  }
});

t.test('free-form fields have at most 16 KiB, and the files of a message 48 KiB', async t => {
  const { key, projectId, environmentId, channelId } = await skein.tenant();
  const scope = { projectId, environmentId };
  const { threadId } = await key.get<{ threadId: string }>('createThread', {
    // The JSON around the text has 8 bytes.
    body: { ...scope, metadata: { a: 'x'.repeat(maxFreeFormBytes - 8) } },
  });
  const large = { a: 'x'.repeat(maxFreeFormBytes - 7) };
  const params = { threadId };
  const message = { projectId, body: 'hello' };
  const file = { kind: 'image', metadata: { a: 'x'.repeat(10_000) } };
  const refused: readonly (readonly [OperationId, Asked, string])[] = [
    ['createThread', { body: { ...scope, metadata: large } }, '/body/metadata'],
    ['updateThread', { params, body: { projectId, customFields: large } }, '/body/customFields'],
    ['updateThread', { params, body: { projectId, metadata: { b: 1 } } }, '/body/metadata'],
    [
      'updateThread',
      { params, body: { projectId, participant: { attributes: large } } },
      '/body/participant/attributes',
    ],
    ['createMessage', { params, body: { ...message, metadata: large } }, '/body/metadata'],
    [
      'createMessage',
      { params, body: { ...message, attachments: Array(5).fill(file) } },
      '/body/attachments',
    ],
    [
      'createInboundMessage',
      { params: { channelId }, body: { ...message, externalParticipantRef: 'p', metadata: large } },
      '/body/metadata',
    ],
    ['createChannel', { body: { ...scope, name: 'c', kind: 'custom', metadata: large } }, '/body/metadata'],
    ['createAgent', { body: { ...scope, name: 'a', metadata: large } }, '/body/metadata'],
  ];
  for (const [id, asked, path] of refused) {
    const { status, body } = await key.ask<Refusal>(id, asked);
    t.equal(status, 422, `${id} ${path}`);
    t.match(body.details, { issues: [{ path, code: 'size' }] }, `${id} ${path}`);
  }
});
