/**
 * Where an actor lives: `murmur3(key) mod count` (design section 3, "Placement"). The count is fixed at a cluster's birth:
 * changing it moves every actor.
 */

export const defaultShardCount = 256;
export const largestShardCount = 4_096;

/** The shard of a placement key, which is the actor's id unless its kind says otherwise. */
export function shardOf(key: string, count: number = defaultShardCount): number {
  return murmur3(key) % count;
}

/**
 * MurmurHash3, x86, 32 bits, of the text's UTF-8 bytes (https://github.com/aappleby/smhasher, MurmurHash3.cpp).
 * Ids are ASCII, so the common path hashes the characters where they are.
 */
export function murmur3(text: string, seed: number = 0): number {
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) > 127) return hashOf(Buffer.from(text, 'utf8').toString('latin1'), seed);
  }
  return hashOf(text, seed);
}

/** One character is one byte here. */
function hashOf(bytes: string, seed: number): number {
  const whole = bytes.length & ~3;
  let hash = seed;
  for (let i = 0; i < whole; i += 4) {
    const block =
      bytes.charCodeAt(i) |
      (bytes.charCodeAt(i + 1) << 8) |
      (bytes.charCodeAt(i + 2) << 16) |
      (bytes.charCodeAt(i + 3) << 24);
    hash ^= mixed(block);
    hash = (hash << 13) | (hash >>> 19);
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0;
  }
  let tail = 0;
  for (let i = bytes.length - 1; i >= whole; i--) tail = (tail << 8) | bytes.charCodeAt(i);
  hash ^= mixed(tail) ^ bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function mixed(block: number): number {
  const k = Math.imul(block, 0xcc9e2d51);
  return Math.imul((k << 15) | (k >>> 17), 0x1b873593);
}
