/** Files to and from the provider, over real sockets and the pool: what is checked before a file counts, and what of it is tried again. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import t from 'tap';
import { Graph } from '../../../actors/chatapp/graph.ts';
import { downloadMedia, type ProviderFile, uploadMedia } from '../../../actors/chatapp/media.ts';
import type { OutboundQueue } from '../../../runtime/pool/outbound-queue.ts';
import { ChatappProvider } from '../../support/chatapp-provider/index.ts';
import { OneOwnerPool } from '../../support/one-owner-pool.ts';
import { Receiver } from '../../support/receiver.ts';

const provider = await ChatappProvider.start();
t.teardown(() => provider.stop());
// Nothing but the public internet, and the provider that is configured.
const pool = new OneOwnerPool({ reach: 'public' });
t.teardown(() => pool.drain());
const graph = new Graph({ url: provider.url, version: 'v25.0' });
const account = provider.accounts.addAccount();
const number = provider.accounts.addNumber(account);
const as = { token: provider.accounts.addToken(provider.accounts.addApp(), account).value };

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const toHex = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** A participant sends it; gives what its webhook says. */
function send(bytes: Buffer, mimeType = 'image/png'): ProviderFile {
  const { id, sha256 } = provider.media.add(bytes, mimeType);
  return { projectId: 'prj_1', providerMediaId: id, kind: 'image', mimeType, sha256 };
}

let files = 0;
const folder = t.testdir({});
const newPath = (): string => join(folder, String(++files));

const fetch = async (
  file: ProviderFile,
  path = newPath(),
  requests: Pick<OutboundQueue, 'send'> = pool.queue,
) => (await download(file, path, requests)).sizeBytes;
const download = (file: ProviderFile, path = newPath(), requests: Pick<OutboundQueue, 'send'> = pool.queue) =>
  downloadMedia({ graph, pool: requests }, as, number.id, file, path, AbortSignal.timeout(10_000));

/** What the provider says of a file in place of the truth. */
function describe({ providerMediaId }: ProviderFile, answer: object): void {
  provider.routes.unshift(({ path }) =>
    path.length === 1 && path[0] === providerMediaId ? { body: answer } : undefined,
  );
}

t.test('a file is fetched, though the provider is where no customer may reach', async t => {
  const path = newPath();
  t.equal(await fetch(send(png), path), png.length);
  t.ok((await readFile(path)).equals(png));
  t.equal(await fetch({ ...send(png), sha256: toHex(png) }), png.length, 'its digest in hexadecimal');
  t.equal(await fetch({ ...send(png), sha256: null }), png.length, 'without a digest');
  t.equal(await fetch(send(Buffer.from('a,b'), 'text/csv')), 3, 'a type of which nothing is known');
});

t.test('a document is kept as what its bytes are, whatever its name says', async t => {
  const page = Buffer.from('<html></html>');
  const document = (mimeType: string) => download({ ...send(page, mimeType), kind: 'document' });
  t.strictSame(await document('image/png'), { sizeBytes: page.length, mimeType: 'application/octet-stream' });
  t.strictSame(await document('text/html'), { sizeBytes: page.length, mimeType: 'text/html' });
});

t.test('what can never become right is tried once', async t => {
  const never = (
    file: ProviderFile,
    message: RegExp,
    what: string,
    requests: Pick<OutboundQueue, 'send'> = pool.queue,
  ) => t.rejects(fetch(file, newPath(), requests), { name: 'MediaFailed', tries: 'once', message }, what);
  await never(
    { ...send(png), providerMediaId: '404' },
    /not have the file any more/,
    'a file that has expired',
  );
  await never({ ...send(png), providerMediaId: '../17' }, /not have the file any more/, 'an id that is none');
  await never(
    send(Buffer.from('<html></html>')),
    /not what the provider says: image\/png/,
    'of another type',
  );
  const large = send(png);
  describe(large, { url: `${provider.url}/lookaside/1`, file_size: 104_857_601 });
  await never(large, /more than 104857600 bytes/, 'too large, as the provider says');
  const long = {
    send: () => Promise.resolve({ at: 0, durationMs: 0, status: 200, truncated: true } as const),
  };
  await never(send(png), /more than 104857600 bytes/, 'too large, whatever the provider says', long);
  const receiver = await Receiver.start();
  t.teardown(() => receiver.stop());
  const elsewhere = send(png);
  describe(elsewhere, { url: `${provider.url}/moved` });
  const moved = { status: 302, location: receiver.url(), body: {} };
  provider.routes.unshift(({ path }) => (path[0] === 'moved' ? moved : undefined));
  await never(elsewhere, /leads elsewhere/, 'a redirect to an address in this network');
  t.equal(receiver.connections, 0);
});

t.test('the token goes to no address in this network, whatever the provider names', async t => {
  const receiver = await Receiver.start();
  t.teardown(() => receiver.stop());
  const addresses = [
    receiver.url(),
    'https://127.0.0.1:8443/',
    'https://169.254.169.254/',
    'http://example.com/',
    `${provider.url.replace('http:', 'https:')}/`,
    'no address',
  ];
  for (const url of addresses) {
    const file = send(png);
    describe(file, { url });
    await t.rejects(
      fetch(file),
      { name: 'MediaFailed', tries: 'once', message: /could not be fetched/ },
      url,
    );
  }
  t.equal(receiver.connections, 0);
});

t.test('what may become right is tried again', async t => {
  const again = (file: ProviderFile, tries: 'few' | 'many', what: string) =>
    t.rejects(fetch(file), { name: 'MediaFailed', tries }, what);
  await again(
    { ...send(png), sha256: toHex(Buffer.from('other')) },
    'few',
    'other bytes than the provider has told of',
  );
  await again(send(Buffer.alloc(0)), 'few', 'no bytes');
  const late = send(png);
  describe(late, { url: `${provider.url}/lookaside/${late.providerMediaId}?ext=1` });
  await again(late, 'few', 'an address that has expired');
  const down = send(png);
  provider.faults.script(down.providerMediaId, { kind: 'html' });
  await again(down, 'many', 'a page of a proxy');
  provider.faults.script(down.providerMediaId, { kind: 'error', code: 131_000 });
  await again(down, 'many', 'an error of the provider');
  for (const status of [403, 408, 429]) {
    const busy = send(png);
    describe(busy, { url: `${provider.url}/busy-${status}` });
    provider.routes.unshift(({ path }) => (path[0] === `busy-${status}` ? { status, body: {} } : undefined));
    await again(busy, 'many', `${status} in the place of the file`);
  }
  t.equal(provider.faults.happened, 2);
});

t.test('a token that is refused says nothing of the file', async t => {
  const file = send(png);
  provider.faults.script(file.providerMediaId, { kind: 'error', code: 190 });
  await t.rejects(fetch(file), { name: 'GraphError', code: 190 });
});

t.test('a file of ours is uploaded in parts, and can be sent', async t => {
  const upload = (filename: string) => {
    const bytes = Readable.from([png.subarray(0, 5), png.subarray(5)]);
    const file = { filename, mimeType: 'image/png', sizeBytes: png.length, bytes };
    return uploadMedia(graph, as, number.id, file, AbortSignal.timeout(10_000));
  };
  const id = await upload('a "cat"\r\n.png');
  provider.media.requireUploaded(id, 'image');
  provider.faults.script('media', { kind: 'lost' });
  await t.rejects(
    upload('cat.png'),
    { name: 'GraphError', mayBeDone: false },
    'no message may have left with it',
  );
  provider.faults.script('media', { kind: 'error', code: 131_053 });
  await t.rejects(upload('cat.png'), { name: 'GraphError', code: 131_053 });
});
