/** Keyed hashes for tests: under a key of their own, or under that of a node's database. */
import type { Database } from '../../storage/database/database.ts';
import { loadHashRoot } from '../../storage/secrets/hash-root.ts';
import { KeyedHash } from '../../storage/secrets/keyed-hash.ts';
import { KeyRing } from '../../storage/secrets/key-ring.ts';
import { freshKey } from './accounts.ts';

export const testHash = new KeyedHash(new KeyRing(freshKey()));

/** @param secretKeys SECRET_KEYS of the node */
export async function loadNodeHash(database: Database, secretKeys: string): Promise<KeyedHash> {
  return new KeyedHash(await loadHashRoot(database, new KeyRing(secretKeys)));
}
