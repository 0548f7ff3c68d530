/** How a thread is stored: what lists filter and sort by are columns of `threads`, the rest is the private `state`. */
import type { AgentMode, ChannelKind, ThreadStatus } from '../../protocol/resources/index.ts';
import { instant, snapshotTable } from '../../storage/statements/index.ts';
import type { Metadata } from '../base/index.ts';
import { decodeAgentHandling, encodeAgentHandling, type StoredAgentHandling } from './agent-handling.ts';
import type { RecentChanges } from './recent-changes.ts';
import type {
  CustomFields,
  FailedSends,
  FreeEntry,
  ParticipantDetails,
  Preview,
  ServiceWindow,
  ThreadState,
} from './state.ts';

/** The private part. Its keys are those of the stored JSON, so they stay, whatever the state calls its fields. */
interface StoredState {
  readonly channelKind: ChannelKind | null;
  readonly sequence: number;
  readonly window: ServiceWindow | null;
  /** These two are absent where there is none. */
  readonly freeEntry?: FreeEntry;
  readonly subject?: string;
  readonly recent: RecentChanges;
  /** The thread's agent handling; absent where there is nothing to store. */
  readonly desk?: StoredAgentHandling;
  /** These three are absent before the first message that is written since there are previews. */
  readonly preview?: Preview;
  readonly inbound?: number;
  readonly failed?: FailedSends;
  /** Absent where no message of the participant has come since this is kept. */
  readonly inboundAt?: number;
  /** Absent where nothing was erased. */
  readonly erased?: string;
}

/** A row of `threads` as JSON. */
export type ThreadRow = {
  readonly project_id: string;
  readonly environment_id: string;
  readonly channel_id: string | null;
  readonly external_ref: string | null;
  readonly status: ThreadStatus;
  readonly agent_mode: AgentMode | null;
  readonly agent_id: string | null;
  readonly assignee_user_id: string | null;
  readonly tags: readonly string[];
  readonly custom_fields: CustomFields;
  readonly metadata: Metadata;
  readonly participant: ParticipantDetails | null;
  readonly last_message_at: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly archived_at: string | null;
  readonly waiting_since: string | null;
  readonly snoozed_until: string | null;
  readonly state: StoredState;
};

/** The state of a row, for the actor and for reads that show the thread without activating it. */
export function decodeThread(row: ThreadRow): ThreadState {
  return {
    projectId: row.project_id,
    environmentId: row.environment_id,
    channelId: row.channel_id,
    channelKind: row.state.channelKind,
    externalRef: row.external_ref,
    status: row.status,
    agentMode: row.agent_mode,
    agentId: row.agent_id,
    assigneeUserId: row.assignee_user_id,
    tags: row.tags,
    customFields: row.custom_fields,
    metadata: row.metadata,
    lastMessageAt: instant(row.last_message_at),
    createdAt: instant(row.created_at),
    updatedAt: instant(row.updated_at),
    archivedAt: row.archived_at === null ? null : instant(row.archived_at),
    sequence: row.state.sequence,
    window: row.state.window,
    freeEntry: row.state.freeEntry ?? null,
    participant: row.participant,
    subject: row.state.subject ?? null,
    recent: row.state.recent,
    agentHandling: decodeAgentHandling(row.state.desk),
    preview: row.state.preview ?? null,
    inboundCount: row.state.inbound ?? 0,
    inboundSequence: row.state.inboundAt ?? 0,
    waitingSince: row.waiting_since === null ? null : instant(row.waiting_since),
    failedSends: row.state.failed ?? null,
    snoozedUntil: row.snoozed_until === null ? null : instant(row.snoozed_until),
    erasedAt: row.state.erased ?? null,
  };
}

function toSecond(at: string): number {
  return Math.floor(Date.parse(at) / 1_000);
}

/** JSON text, or null for the empty object that nearly every thread has. */
function toJsonUnlessEmpty(object: CustomFields | Metadata): string | null {
  const text = JSON.stringify(object);
  return text === '{}' ? null : text;
}

/** The minute in which the window of an open thread ends: lists ask for those that end soon. */
function toWindowMinute({ status, window }: ThreadState): number | null {
  if (status !== 'open' || window === null || window.phase === 'closed') return null;
  return Math.floor(window.expiresAt / 60_000);
}

function toStoredState(state: ThreadState): StoredState {
  const { channelKind, sequence, window, freeEntry, subject, recent, preview, inboundCount, failedSends } =
    state;
  const { inboundSequence, erasedAt } = state;
  const desk = encodeAgentHandling(state);
  return {
    channelKind,
    sequence,
    window,
    recent,
    ...(freeEntry === null ? {} : { freeEntry }),
    ...(subject === null ? {} : { subject }),
    ...(desk === undefined ? {} : { desk }),
    ...(preview === null ? {} : { preview }),
    ...(inboundCount === 0 ? {} : { inbound: inboundCount }),
    ...(inboundSequence === 0 ? {} : { inboundAt: inboundSequence }),
    ...(failedSends === null ? {} : { failed: failedSends }),
    ...(erasedAt === null ? {} : { erased: erasedAt }),
  };
}

export const threadSnapshot = snapshotTable<ThreadState>({
  kind: 'thread',
  table: 'threads',
  key: 'thread_id',
  fixed: {
    project_id: 'text',
    environment_id: 'text',
    channel_id: 'text',
    external_ref: 'text',
    created_at: 'timestamptz',
  },
  columns: {
    status: 'text',
    agent_mode: 'text',
    agent_id: 'text',
    assignee_user_id: 'text',
    tags: 'text[]',
    custom_fields: 'jsonb',
    metadata: 'jsonb',
    participant: 'jsonb',
    last_message_at: 'timestamptz',
    active_second: 'bigint',
    updated_at: 'timestamptz',
    updated_second: 'bigint',
    archived_at: 'timestamptz',
    waiting_since: 'timestamptz',
    window_minute: 'bigint',
    pending_suggestion: 'text',
    failed_sends: 'int',
    snoozed_until: 'timestamptz',
    state: 'jsonb',
  },
  defaults: { tags: "'{}'", custom_fields: "'{}'", metadata: "'{}'" },
  encode: state => {
    const { participant } = state;
    const activeSecond = toSecond(state.lastMessageAt);
    return {
      project_id: state.projectId,
      environment_id: state.environmentId,
      channel_id: state.channelId,
      external_ref: state.externalRef,
      status: state.status,
      agent_mode: state.agentMode,
      agent_id: state.agentId,
      assignee_user_id: state.assigneeUserId,
      tags: state.tags.length === 0 ? null : state.tags,
      custom_fields: toJsonUnlessEmpty(state.customFields),
      metadata: toJsonUnlessEmpty(state.metadata),
      participant: participant === null ? null : JSON.stringify(participant),
      last_message_at: state.lastMessageAt,
      active_second: activeSecond,
      created_at: state.createdAt,
      updated_at: state.updatedAt,
      // Nearly always it is a message that changes a thread.
      updated_second: state.updatedAt === state.lastMessageAt ? activeSecond : toSecond(state.updatedAt),
      archived_at: state.archivedAt,
      waiting_since: state.waitingSince,
      window_minute: toWindowMinute(state),
      pending_suggestion: state.agentHandling.suggestion?.agentRunId ?? null,
      failed_sends: state.failedSends?.count ?? null,
      snoozed_until: state.snoozedUntil,
      state: JSON.stringify(toStoredState(state)),
    };
  },
  decode: row => decodeThread(row as unknown as ThreadRow),
});
