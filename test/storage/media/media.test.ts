/** The media store, on both of its places: a folder, and a server that speaks S3. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { Media, NoSuchMedia, WrongSize } from '../../../storage/media/media.ts';
import { parseMediaUrl } from '../../../storage/media/media-location.ts';
import { startS3 } from '../../support/s3.ts';

const mimeType = 'application/octet-stream';
const pieces = (bytes: Buffer): Readable =>
  Readable.from(
    Array.from({ length: Math.ceil(bytes.length / 100_000) }, (_, i) =>
      bytes.subarray(i * 100_000, (i + 1) * 100_000),
    ),
    { objectMode: false },
  );

async function conforms(t: Test, media: Media): Promise<void> {
  await t.test('a stored file is read back whole, with its size', async t => {
    for (const size of [1, 65_536, 5_000_000]) {
      const key = `prj_1/env_1/att_${size}`;
      const bytes = randomBytes(size);
      const sha256 = await media.put({ key, size, mimeType }, pieces(bytes));
      t.strictSame(sha256, createHash('sha256').update(bytes).digest());
      t.ok((await buffer(await media.open(key))).equals(bytes), `${size} bytes`);
    }
  });

  await t.test('a range of a file is read alone', async t => {
    const key = 'prj_1/env_1/att_range';
    const bytes = randomBytes(300_000);
    await media.put({ key, size: bytes.length, mimeType }, pieces(bytes));
    for (const [start, end] of [
      // s3rver takes a range to byte 0 for one without an end.
      [0, 1],
      [100_000, 250_000],
      [299_999, 299_999],
    ] as const) {
      const read = await buffer(await media.open(key, { start, end }));
      t.ok(read.equals(bytes.subarray(start, end + 1)), `${start} to ${end}`);
    }
    await t.rejects(media.open('prj_1/env_1/att_none', { start: 0, end: 0 }), NoSuchMedia);
  });

  await t.test('put again, it is replaced', async t => {
    const key = 'prj_1/env_1/att_again';
    await media.put({ key, size: 9, mimeType }, pieces(Buffer.from('the first')));
    await media.put({ key, size: 6, mimeType }, pieces(Buffer.from('second')));
    t.equal(String(await buffer(await media.open(key))), 'second');
  });

  await t.test('a file of another size is refused, and failures have a reason', async t => {
    const put = (size: number, source: Readable) =>
      media.put({ key: 'prj_1/env_1/att_bad', size, mimeType }, source);
    await t.rejects(put(10, pieces(Buffer.alloc(9))), WrongSize);
    await t.rejects(put(10, pieces(Buffer.alloc(11))), WrongSize);
    await t.rejects(put(10, pieces(Buffer.alloc(0))), WrongSize);
    const cut = new Readable({
      read() {
        this.push('abc');
        this.destroy(new RangeError('cut'));
      },
    });
    await t.rejects(put(10, cut), RangeError);
    await media.put({ key: 'prj_1/env_1/att_bad', size: 3, mimeType }, pieces(Buffer.from('abc')));
    t.equal(String(await buffer(await media.open('prj_1/env_1/att_bad'))), 'abc', 'and may be put again');
  });

  await t.test('an absent file is reported as absent, and removing it is no error', async t => {
    const key = 'prj_1/env_1/att_gone';
    await t.rejects(media.open(key), NoSuchMedia);
    await media.put({ key, size: 1, mimeType }, pieces(Buffer.from('x')));
    await media.remove(key);
    await t.rejects(media.open(key), NoSuchMedia);
    await media.remove(key);
  });

  await t.test('a key is consists of ids', async t => {
    for (const key of [
      '',
      '/',
      '../x',
      'a/../b',
      'a//b',
      '/a',
      'a/',
      'a b',
      'a\\b',
      'a/.',
      'a\0b',
      'a%2fb',
    ]) {
      await t.rejects(media.open(key), /consists of ids/, JSON.stringify(key));
      await t.rejects(media.remove(key), /consists of ids/);
      await t.rejects(media.put({ key, size: 1, mimeType }, pieces(Buffer.from('x'))), /consists of ids/);
    }
  });
}

t.test('in a folder', async t => {
  const folder = t.testdir({});
  const media = new Media({ kind: 'folder', folder });
  await conforms(t, media);
  t.strictSame(await readdir(folder), ['prj_1']);
  t.ok((await stat(join(folder, 'prj_1/env_1/att_1'))).isFile());

  const cut = new Readable({ read: () => void cut.destroy(new RangeError('cut')) });
  await t.rejects(media.put({ key: 'prj_1/env_2/att_cut', size: 3, mimeType }, cut), RangeError);
  t.ok(
    existsSync(join(folder, 'prj_1/env_2/att_cut')),
    'it is emptied by then, and not when it was put again',
  );
});

t.test('in S3', async t => {
  const folder = t.testdir({});
  const server = await startS3(folder);
  t.teardown(() => server.stop());
  Object.assign(process.env, server.env);
  const location = parseMediaUrl(`s3://${server.bucket}/one/two?pathStyle=true`);
  if (location === undefined) throw new Error('the address is refused');
  const media = new Media(location);
  await conforms(t, media);

  // Nobody reads them; more than the SDK's own limit of 50.
  const opened = [];
  for (let i = 0; i < 60; i++) opened.push(await media.open('prj_1/env_1/att_5000000'));
  const key = 'prj_1/env_1/att_beside';
  await media.put({ key, size: 3, mimeType }, pieces(Buffer.from('abc')));
  t.equal(String(await buffer(await media.open(key))), 'abc', 'others are read beside them');
  await media.remove(key);
  for (const each of opened) each.destroy();

  const objects = await readdir(join(folder, server.bucket), { recursive: true });
  t.ok(
    objects.some(name => name.startsWith('one/two/prj_1/env_1/att_1')),
    'under the prefix',
  );

  process.env['AWS_ACCESS_KEY_ID'] = 'NOBODY';
  const unknown = new Media(location);
  await t.rejects(unknown.open('prj_1/env_1/att_1'), { cause: { name: 'InvalidAccessKeyId' } });
});

t.test('addresses of the store', async t => {
  t.strictSame(parseMediaUrl('file:///data/media'), { kind: 'folder', folder: '/data/media' });
  const s3 = { kind: 's3', bucket: 'my-bucket' };
  t.strictSame(parseMediaUrl('s3://my-bucket'), { ...s3, prefix: '', pathStyle: false });
  t.strictSame(parseMediaUrl('s3://my-bucket/a/b/'), { ...s3, prefix: 'a/b/', pathStyle: false });
  t.strictSame(parseMediaUrl('s3://my-bucket/a?pathStyle=true'), { ...s3, prefix: 'a/', pathStyle: true });
  for (const text of [
    '',
    'my-bucket',
    's3://',
    's3://My/x',
    's3://a:1/x',
    's3://u@bucket/x',
    's3://bucket/.a',
  ]) {
    t.equal(parseMediaUrl(text), undefined, text);
  }
});
