import t from 'tap';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadKeys } from '../../../storage/secrets/key-file.ts';
import { KeyedHash } from '../../../storage/secrets/keyed-hash.ts';
import { KeyRing } from '../../../storage/secrets/key-ring.ts';

const key = (kid: string) => `${kid}:${randomBytes(32).toString('base64')}`;
const [a, b] = [key('a'), key('b')];

t.test('keyed hashes', async t => {
  const hash = new KeyedHash(new KeyRing(a));
  const stored = hash.digest('api-key', 'svc_test_1');
  t.equal(stored.length, 32);
  t.strictSame(hash.digest('api-key', 'svc_test_1'), stored, 'repeatable');
  t.notSame(hash.digest('api-key', 'svc_test_2'), stored);
  t.notSame(hash.digest('refresh-token', 'svc_test_1'), stored, 'each purpose has its own');
  t.notSame(hash.digest('api', '-keysvc_test_1'), stored);
  t.notSame(
    new KeyedHash(new KeyRing(b)).digest('api-key', 'svc_test_1'),
    stored,
    'nothing without the ring',
  );

  const rotated = new KeyedHash(new KeyRing(`${b},${a}`));
  t.strictSame(rotated.digest('api-key', 'svc_test_1'), stored, 'a rotation keeps every credential');
});

t.test('the key file', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'skein-keys-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const data = join(folder, 'data');

  const all = await Promise.all(Array.from({ length: 8 }, () => loadKeys(data)));
  for (const keys of all) t.strictSame(keys, all[0], 'of many starts at once, all get the same');
  t.strictSame(await loadKeys(data), all[0], 'and so does every later one');
  t.strictSame(await readdir(data), ['keys.json'], 'no draft is left');
  t.ok(new KeyRing(all[0]?.secretKeys ?? ''));
  t.match(all[0]?.tokenKeys, /^[0-9a-f]{12}:[A-Za-z0-9+/]{43}=$/);
  t.not(all[0]?.secretKeys, all[0]?.tokenKeys);

  const path = join(data, 'keys.json');
  t.equal((await stat(path)).mode & 0o777, 0o600);
  await chmod(path, 0o644);
  await loadKeys(data);
  t.equal((await stat(path)).mode & 0o777, 0o600, 'closed again');
  await writeFile(path, '{"secretKeys": 1}');
  await t.rejects(loadKeys(data), { message: /restore it from a backup/ }, 'never replaced');
});
