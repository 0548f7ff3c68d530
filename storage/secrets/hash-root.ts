/**
 * The root of a database's keyed hashes. It is made once, from the oldest key that the first node has, because that is what all hashes
 * were made with before there was a root; and it never changes, because the plain texts of what is hashed are kept nowhere. It is itself a
 * sealed value: whoever re-seals it under a newer key can take every older one out of the ring.
 */
import { createSecretKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { Queries } from '../database/index.ts';
import type { KeyRing } from './key-ring.ts';
import type { RootKeys } from './keyed-hash.ts';
import { Vault } from './vault.ts';

/** What has keys that stay: credentials that are only checked (keyed-hash.ts), and cursors (storage/paging/cursors.ts). */
const purposes = ['key-hash', 'cursor'] as const;

const context = 'hash_root/1/sealed';

const selectRoot = 'select sealed from hash_root where id = 1';

// Of several nodes that start at once, all use what the first has made.
const insertRoot =
  'insert into hash_root (id, sealed, created_at) values (1, $1, now()) on conflict (id) do nothing';

/** The root of the database, made where it has none. Rejects with `SealBroken` where the ring lacks the key that it is sealed under. */
export async function loadHashRoot(db: Queries, ring: KeyRing): Promise<RootKeys> {
  const vault = new Vault(ring);
  let sealed = await find(db);
  if (sealed === undefined) {
    const made = purposes.map(purpose => [purpose, ring.derive(purpose).export().toString('base64')]);
    await db.query(insertRoot, [await vault.seal(context, JSON.stringify(Object.fromEntries(made)))]);
    sealed = (await find(db)) ?? '';
  }
  const opened = JSON.parse(await vault.open(context, sealed)) as Record<string, string>;
  const keys = new Map<string, KeyObject>(
    Object.entries(opened).map(([purpose, key]) => [purpose, createSecretKey(Buffer.from(key, 'base64'))]),
  );
  return {
    derive(purpose) {
      const key = keys.get(purpose);
      if (key === undefined) throw new Error(`the root of hashes has no key for ${purpose}`);
      return key;
    },
  };
}

async function find(db: Queries): Promise<string | undefined> {
  return (await db.query<{ sealed: string }>(selectRoot))[0]?.sealed;
}
