/** What two people edit: tags, preconditions, merged metadata, and one way into the archive and back, on a whole node. */
import t from 'tap';
import type { OperationId } from '../../../protocol/operations/table.ts';
import type { Asked, ListOf, Refusal, Reply } from '../../node/client.ts';
import { shareSkein } from '../../support/skein.ts';

const skein = await shareSkein(t);
const { key, projectId, environmentId, channelId } = await skein.tenant();

interface Kind {
  readonly noun: 'Loom' | 'Agent' | 'Stitch' | 'Tool' | 'Channel';
  readonly params: Readonly<Record<string, string>>;
}

interface Shown {
  readonly name: string;
  readonly metadata: unknown;
  readonly archivedAt?: string | null;
}

const make = async <T>(operation: OperationId, body: object): Promise<T> =>
  key.get<T>(operation, {
    body: { projectId, environmentId, name: 'First', metadata: { a: 1, b: { c: 2 } }, ...body },
  });

const webhookUrl = 'https://hooks.example/skein';
const url = 'https://tools.example/orders';
const definition = { systemPrompt: 'Answer.', provider: 'llm_provider_1', model: 'model-1' };
const { loomId } = await make<{ loomId: string }>('createLoom', definition);
const { agentId } = await make<{ agentId: string }>('createAgent', {});
const { stitchId } = (await make<{ stitch: { stitchId: string } }>('createStitch', { webhookUrl })).stitch;
const { toolId } = await make<{ toolId: string }>('createTool', { url });
const other = await make<{ channelId: string }>('createChannel', { kind: 'custom' });
t.not(other.channelId, channelId);

const kinds: readonly Kind[] = [
  { noun: 'Loom', params: { loomId } },
  { noun: 'Agent', params: { agentId } },
  { noun: 'Stitch', params: { stitchId } },
  { noun: 'Tool', params: { toolId } },
  { noun: 'Channel', params: { channelId: other.channelId } },
];

const ask = <T>(operation: OperationId, asked: Asked, ifMatch = ''): Promise<Reply<T>> =>
  key.ask<T>(operation, { ...asked, headers: ifMatch === '' ? {} : { 'if-match': ifMatch } });
const getTag = ({ headers }: Pick<Reply<unknown>, 'headers'>): string => String(headers['etag']);

for (const { noun, params } of kinds) {
  const read = () => ask<Shown>(`get${noun}`, { params });
  const change = (more: object, ifMatch?: string) =>
    ask<Shown & Refusal>(`update${noun}`, { params, body: { projectId, ...more } }, ifMatch);

  t.test(`${noun}: of two who began from the same state one wins, the other is told`, async t => {
    const tag = getTag(await read());
    t.match(tag, /^"[A-Za-z0-9_-]+"$/);
    t.equal(getTag(await read()), tag, 'it stays while nothing changes');
    const both = await Promise.all(['One', 'Two'].map(name => change({ name }, tag)));
    t.strictSame(both.map(({ status }) => status).sort(), [200, 412]);
    const won = both.find(({ status }) => status === 200);
    const lost = both.find(({ status }) => status === 412);
    t.equal(lost?.body.error, 'svc/runtime/precondition_failed');
    const now = await read();
    t.equal(now.body.name, won?.body.name);
    t.equal(won === undefined ? '' : getTag(won), getTag(now), 'a change shows the new tag');
    t.not(getTag(now), tag);
    t.equal((await change({ name: 'Three' })).status, 200, 'without a condition as before');
    t.equal((await change({ name: 'Four' }, `W/${getTag(await read())}`)).status, 412, 'a weak tag is none');
    t.equal((await change({ name: 'Four' }, '*')).status, 200);
  });

  t.test(`${noun}: metadata is merged`, async t => {
    t.strictSame((await change({ metadata: { a: null, b: { d: 3 }, e: [1] } })).body.metadata, {
      b: { c: 2, d: 3 },
      e: [1],
    });
    t.strictSame((await read()).body.metadata, { b: { c: 2, d: 3 }, e: [1] });
    const half = 'x'.repeat(10_000);
    t.equal((await change({ metadata: { half } })).status, 200);
    const tooMuch = await change({ metadata: { other: half } });
    t.match(tooMuch, {
      status: 422,
      body: { details: { issues: [{ path: '/body/metadata', code: 'size' }] } },
    });
    t.equal((await change({ metadata: { half: null } })).status, 200);
  });
}

t.test('DELETE archives, PATCH with archived: false brings back', async t => {
  for (const { noun, params } of kinds.filter(({ noun }) => noun !== 'Tool' && noun !== 'Channel')) {
    const archive: OperationId = `archive${noun as 'Loom' | 'Agent' | 'Stitch'}`;
    const read = () => ask<Shown>(`get${noun}`, { params });
    t.equal((await ask(archive, { params }, '"old"')).status, 412);
    t.equal((await ask(archive, { params }, getTag(await read()))).status, 204);
    t.ok((await read()).body.archivedAt, noun);
    t.equal((await ask(archive, { params })).status, 204, 'idempotent');
    const list: OperationId = noun === 'Stitch' ? 'listStitches' : `list${noun as 'Loom' | 'Agent'}s`;
    const ids = async (query: NonNullable<Asked['query']>) => {
      const { data } = await key.get<ListOf<Readonly<Record<string, unknown>>>>(list, {
        query: { projectId, ...query },
      });
      return data.map(each => each[Object.keys(params)[0] ?? '']);
    };
    t.strictSame(await ids({ archived: true }), Object.values(params));
    t.notOk((await ids({ archived: false })).includes(Object.values(params)[0]));
    t.notOk((await ids({})).includes(Object.values(params)[0]));
    const restored = await ask<Shown>(`update${noun}`, { params, body: { projectId, archived: false } });
    t.match(restored, { status: 200, body: { archivedAt: null } });
    t.equal((await read()).body.archivedAt, null);
  }
});

t.test('a thread and a version of a loom go the same way', async t => {
  const { threadId } = await make<{ threadId: string }>('createThread', { name: undefined });
  const thread = { params: { threadId } };
  const change = (more: object) =>
    key.ask<Shown>('updateThread', { ...thread, body: { projectId, ...more } });
  t.equal((await ask('archiveThread', thread)).status, 204);
  t.match(await ask('getThread', thread), { body: { status: 'archived', archivedAt: /./ } });
  t.match(await change({ archived: false }), { body: { status: 'open', archivedAt: null } });
  await change({ status: 'closed' });
  t.match(await change({ archived: false }), { body: { status: 'closed' } }, 'it was not in the archive');

  const body = { projectId, ...definition, activate: false };
  const version = await key.get<{ loomVersionId: string }>('createLoomVersion', { params: { loomId }, body });
  const params = { loomId, loomVersionId: version.loomVersionId };
  t.equal((await ask('archiveLoomVersion', { params })).status, 204);
  t.match(await ask('getLoomVersion', { params }), { body: { status: 'archived' } });
  const back = await ask('updateLoomVersion', { params, body: { projectId, archived: false } });
  t.match(back, { status: 200, body: { status: 'published' } });
});
