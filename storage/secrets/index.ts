/**
 * Keys and what they protect: the key ring (SECRET_KEYS, or a file of the data folder), secrets that are used again (`Vault`, sealed
 * as JWE), and credentials that are only checked (`KeyedHash`).
 */
export { loadKeys } from './key-file.ts';
export { KeyRing, parseKeys } from './key-ring.ts';
export { KeyedHash } from './keyed-hash.ts';
export { SealBroken, Vault } from './vault.ts';
