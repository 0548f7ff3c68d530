/** Reads of the actors' tables: threads, messages, notes, channels, stitches and runs. Each is narrowed by its tenant. */
export {
  type Assignee,
  listAssignedThreads,
  listAssignees,
  listWaitingThreads,
  listWorkspaceAssignments,
  type WaitingThread,
} from './assignees.ts';
export {
  changePage,
  channelPage,
  type ChannelRecord,
  commandPage,
  commandState,
  findChannel,
  findDefaultAgent,
} from './channels.ts';
export {
  type ChatappRecord,
  findChatapp,
  findMessageIds,
  findNextTokenExpiry,
  findNumberChannel,
  findAccountSiblings,
  findProviderMessage,
  sharesAccount,
} from './chatapp.ts';
export { type ChannelHead, type EnvironmentHead, findChannelHead, findEnvironmentHead } from './heads.ts';
export {
  findMessage,
  findMessagesWithSequence,
  findMessages,
  findMessageWithSequence,
  messagePage,
  parkedReceipts,
} from './messages.ts';
export { mentionPage, readMentions } from './mentions.ts';
export { findNote, notePage } from './notes.ts';
export { moveReadCursor, readCursors, type ReadState } from './read-cursors.ts';
export { readQueues } from './queues.ts';
export { countAnswersElsewhere, findParticipantThreads } from './participants.ts';
export {
  findRecordedCall,
  findRun,
  findRunModes,
  findRunStatus,
  findRunTenant,
  isRunAnswering,
  runPage,
  type RunRecord,
} from './runs.ts';
export { listSuggestionFates } from './suggestion-fates.ts';
export { findStitch, findStitchTenant, listStitchIds, stitchPage, type StitchRecord } from './stitches.ts';
export {
  createThreadLoader,
  findParticipantRef,
  findThread,
  findThreadTenant,
  record,
  type ThreadKey,
  type ThreadRecord,
} from './threads.ts';
export { addThreadFilters, type ThreadFilter } from './thread-filters.ts';
export { type ThreadListing, threadPage, type ThreadPosition } from './thread-lists.ts';
export { listEventDeliveries, listMessageEvents, listMessageRuns } from './timeline.ts';
export { findViewer } from './viewers.ts';
