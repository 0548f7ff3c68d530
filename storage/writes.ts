/** Every sort of row that a decision may write: one constructor each. */
export type { Statement, Write } from './statement.ts';
export * from './writes/messages.ts';
export * from './writes/events.ts';
export * from './writes/idempotency.ts';
export * from './writes/commands.ts';
export * from './writes/deliveries.ts';
export * from './writes/notes.ts';
export * from './writes/attachments.ts';
export * from './writes/audit.ts';
export * from './writes/erasures.ts';
