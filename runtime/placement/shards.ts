/**
 * The shard of an actor: `murmur3(key) mod count` (docs/decisions/0009-shards-and-leases.md). The count is fixed when a cluster is
 * created, because another count would move every actor.
 */

export const defaultShardCount = 256;
export const maxShardCount = 4_096;

/** The shard of a placement key, which is the actor's id unless its kind has a `shardKey`. */
export function getShard(key: string, count: number = defaultShardCount): number {
  return murmur3(key) % count;
}

/**
 * MurmurHash3, x86, 32 bits, of the text's UTF-8 bytes (https://github.com/aappleby/smhasher, MurmurHash3.cpp).
 * Ids are ASCII, so the common path hashes the characters in place.
 */
export function murmur3(text: string, seed: number = 0): number {
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) > 127) return hashBytes(Buffer.from(text, 'utf8').toString('latin1'), seed);
  }
  return hashBytes(text, seed);
}

/** Each character of the text is one byte. */
function hashBytes(bytes: string, seed: number): number {
  const whole = bytes.length & ~3;
  let hash = seed;
  for (let i = 0; i < whole; i += 4) {
    const block =
      bytes.charCodeAt(i) |
      (bytes.charCodeAt(i + 1) << 8) |
      (bytes.charCodeAt(i + 2) << 16) |
      (bytes.charCodeAt(i + 3) << 24);
    hash ^= mixBlock(block);
    hash = (hash << 13) | (hash >>> 19);
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0;
  }
  let tail = 0;
  for (let i = bytes.length - 1; i >= whole; i--) tail = (tail << 8) | bytes.charCodeAt(i);
  hash ^= mixBlock(tail) ^ bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function mixBlock(block: number): number {
  const k = Math.imul(block, 0xcc9e2d51);
  return Math.imul((k << 15) | (k >>> 17), 0x1b873593);
}
