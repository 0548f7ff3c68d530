/** Files of ours at the chat provider, on a real database: each goes there once for a number. */
import { Readable } from 'node:stream';
import t from 'tap';
import type { OpenConnection } from '../../../actors/channel/credentials.ts';
import { provideFile, uploadOnce } from '../../../actors/channel/uploads.ts';
import { Graph } from '../../../actors/chatapp/graph.ts';
import { newId } from '../../../protocol/ids.ts';
import { NoSuchMedia } from '../../../storage/media/media.ts';
import { ChatappProvider } from '../../support/chatapp-provider/index.ts';
import { startTestDatabase } from '../../support/database.ts';

const { database } = await startTestDatabase(t);
const provider = await ChatappProvider.start();
t.teardown(() => provider.stop());
const app = provider.accounts.addApp();
const account = provider.accounts.addAccount();
const scope = { projectId: newId('project'), environmentId: newId('environment') };

/** A number, as a channel is connected to it. */
function connect(): Pick<OpenConnection, 'as' | 'connection'> {
  const { id: phoneNumberId } = provider.accounts.addNumber(account);
  const connection = { phoneNumberId } as OpenConnection['connection'];
  return { as: { token: provider.accounts.addToken(app, account).value }, connection };
}

const bytes = Buffer.from('89504e470d0a1a0a', 'hex');
let now = Date.now();
const services = {
  db: database,
  graph: new Graph({ url: provider.url, version: 'v25.0' }),
  media: { open: () => Promise.resolve(Readable.from([bytes])) },
  now: () => now,
};

async function store(status = 'stored'): Promise<string> {
  const attachmentId = newId('attachment');
  await database.query(
    `insert into attachments (attachment_id, project_id, environment_id, status, filename, mime_type, size_bytes, storage_key, created_at)
     values ($1, $2, $3, $4, 'a.png', 'image/png', $5, $1, now())`,
    [attachmentId, scope.projectId, scope.environmentId, status, bytes.length],
  );
  return attachmentId;
}

const upload = (
  attachmentId: string,
  number: ReturnType<typeof connect>,
  more: Partial<typeof services> = {},
) => uploadOnce({ ...services, ...more }, number, { ...scope, attachmentId }, AbortSignal.timeout(10_000));

t.test(
  'a file goes to the provider once for a number, and once more when the provider may have lost it',
  async t => {
    const [number, other] = [connect(), connect()];
    const attachmentId = await store();
    const first = await upload(attachmentId, number);
    provider.media.requireUploaded(first ?? '', 'image');
    t.equal(await upload(attachmentId, number), first);
    t.not(await upload(attachmentId, other), first, 'another number has its own');
    now += 29 * 86_400_000;
    t.not(await upload(attachmentId, number), first);
  },
);

t.test('a file that is not there is not sent', async t => {
  const number = connect();
  t.equal(await upload(newId('attachment'), number), undefined);
  t.equal(await upload(await store('erased'), number), undefined);
  const gone = { open: () => Promise.reject(new NoSuchMedia('a')) };
  t.equal(await upload(await store(), number, { media: gone }), undefined);
  const away = { open: () => Promise.reject(new Error('the store is down')) };
  const failure = { name: 'GraphError', mayBeDone: false, isTransient: true };
  await t.rejects(upload(await store(), number, { media: away }), failure, 'but may be there later');
});

t.test('the provider gets an id that it has, or an address', async t => {
  const number = connect();
  const provide = (file: object) =>
    provideFile(services, number, scope, { kind: 'image', ...file }, AbortSignal.timeout(10_000));
  t.match(await provide({ attachmentId: await store() }), { id: /^20/ });
  t.strictSame(await provide({ providerMediaId: '17' }), { id: '17' });
  t.strictSame(await provide({ url: 'https://example.com/a.png' }), { link: 'https://example.com/a.png' });
  t.equal(await provide({ attachmentId: 'one of theirs' }), undefined);
});
