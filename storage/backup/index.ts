/** Backups of an embedded database with its keys and files, taken while the node serves, and their way back. */
export { type BackupProgress, BackupDamaged } from './copy-files.ts';
export { type BackupManifest, readManifest, UnknownBackup } from './manifest.ts';
export { type BackupRequest, takeBackup } from './take-backup.ts';
export { restoreBackup, type RestoreRequest } from './restore-backup.ts';
