import t from 'tap';
import { derivedId } from '../../../protocol/ids.ts';
import { murmur3, getShard } from '../../../runtime/placement/shards.ts';

t.test('murmur3 gives the published vectors', async t => {
  const vectors: [string, number, number][] = [
    ['', 0, 0],
    ['', 1, 0x514e28b7],
    ['', 0xffffffff, 0x81f16f39],
    ['test', 0, 0xba6bd213],
    ['test', 0x9747b28c, 0x704b81dc],
    ['Hello, world!', 0, 0xc0363e43],
    ['Hello, world!', 0x9747b28c, 0x24884cba],
    ['The quick brown fox jumps over the lazy dog', 0, 0x2e4ff723],
    ['The quick brown fox jumps over the lazy dog', 0x9747b28c, 0x2fa826cd],
    ['aaaa', 0x9747b28c, 0x5a97808a],
    ['aaa', 0x9747b28c, 0x283e0130],
    ['aa', 0x9747b28c, 0x5d211726],
    ['a', 0x9747b28c, 0x7fa09ea6],
    ['abcd', 0x9747b28c, 0xf0478627],
    ['\0\0\0\0', 0, 0x2362f9de],
    ['\0\0\0', 0, 0x85f0b427],
    ['ππππππππ', 0x9747b28c, 0xd58063c1],
  ];
  for (const [text, seed, hash] of vectors) t.equal(murmur3(text, seed), hash, JSON.stringify(text));
});

t.test('ids spread evenly over the shards', async t => {
  const counts = new Array<number>(256).fill(0);
  for (let i = 0; i < 25_600; i++) {
    const shard = getShard(derivedId('thread', String(i)));
    counts[shard] = (counts[shard] ?? 0) + 1;
  }
  // 100 each on average, with a standard deviation of 10.
  t.ok(Math.min(...counts) > 30);
  t.ok(Math.max(...counts) < 170);
});
