/**
 * Keys and what they protect: the key ring (SECRET_KEYS, or a file of the data folder), secrets that are used again (`Vault`, sealed
 * as JWE), and credentials that are only checked (`KeyedHash`), by keys that never change (`loadHashRoot`). `sealedColumns` names every
 * column that holds something sealed, and `reseal` seals all of it again under the newest key.
 */
export { loadHashRoot } from './hash-root.ts';
export { loadKeys, readKeys } from './key-file.ts';
export { KeyRing, parseKeys } from './key-ring.ts';
export { KeyedHash, type RootKeys } from './keyed-hash.ts';
export { type BrokenSeal, type Progress, readSeals, reseal, type Seal } from './reseal.ts';
export { hashedColumns, sealedColumns } from './sealed-columns.ts';
export { SealBroken, Vault } from './vault.ts';
