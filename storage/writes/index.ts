/** Every row that a decision may write: one pure constructor each. The statements run in the commit lanes (storage/commit). */
export { answeringVersion } from './agent-splits.ts';
export { requireAgent } from './agents.ts';
export { addAlias, type AliasRow } from './aliases.ts';
export { takeAttachment } from './attachments.ts';
export {
  countAttempts,
  type CountedAttempt,
  fromDurationClass,
  toDurationClass,
  toHour,
} from './attempt-counts.ts';
export {
  type AuditEntry,
  insertAuditEntries,
  insertAuditEntry,
  type RequestOrigin,
  toAuditActor,
} from './audit.ts';
export { insertChannelChange } from './channel-changes.ts';
export { acknowledgeCommand, insertCommand, parkReceipt, unparkReceipt } from './commands.ts';
export {
  type DeliveryRow,
  endInFlight,
  followLog,
  insertAttempt,
  insertDelivery,
  recordDelivery,
  updateDelivery,
} from './deliveries.ts';
export { eraseThread, nameParticipant } from './erasures.ts';
export {
  append,
  appendEvent,
  appendParameters,
  doneStatus,
  EventNumbers,
  idempotencyKept,
  type KeptReply,
  rememberKey,
  type RequestKey,
} from './events-and-answers.ts';
export { type AwaitedFileRow, awaitFile, settleFile } from './files.ts';
export {
  checkLimit,
  checkStitchHosts,
  defaultLimits,
  type LimitName,
  type Limits,
  requireWithinLimit,
} from './limits.ts';
export { insertMessage, type MessageRow, updateMessageStatus } from './messages.ts';
export { deleteNote, insertNote, updateNote } from './notes.ts';
export { usePartnerApp } from './partner-apps.ts';
export { queueSend, type SendRow, settleSend } from './sends.ts';
