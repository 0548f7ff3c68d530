/**
 * A thread: a lasting conversation, in one project, environment and channel (specification, "Thread").
 *
 *   (nothing) -> open        created, or its participant wrote for the first time
 *   open      -> closed      PATCH
 *   closed    -> open        PATCH, any inbound, an outbound by a human
 *   open, closed -> archived PATCH
 *   archived  -> open        PATCH, any inbound
 *
 * The state is small, because many thousands of threads are resident at once: no message is in it. It is never changed in
 * place; every decision makes a new one.
 */
import type { ChannelKind } from '../../protocol/resources/channel.ts';
import type { AgentMode, ThreadStatus } from '../../protocol/resources/thread.ts';
import type { Metadata } from '../tenancy.ts';
import { noDesk, type Desk } from './desk.ts';
import { noChanges, type RecentChanges } from './recent-changes.ts';
import type { ServiceWindow } from './service-window.ts';

/** Flat, as the specification has them. */
export type CustomFields = Readonly<Record<string, string | number | boolean | null>>;

/** All that a thread knows. */
export interface ThreadState {
  /** Empty while the thread does not exist. */
  readonly projectId: string;
  readonly environmentId: string;
  readonly channelId: string | null;
  readonly channelKind: ChannelKind | null;
  /** The participant's name in the channel, or whatever else identifies the thread to its owner. */
  readonly externalRef: string | null;
  readonly status: ThreadStatus;
  readonly agentMode: AgentMode | null;
  readonly agentId: string | null;
  readonly assigneeUserId: string | null;
  readonly tags: readonly string[];
  readonly customFields: CustomFields;
  readonly metadata: Metadata;
  /** These four are ISO 8601. */
  readonly lastMessageAt: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly archivedAt: string | null;
  /** The number of the thread's last event: 1, 2, 3 ... without gaps. */
  readonly sequence: number;
  readonly window: ServiceWindow | null;
  readonly recent: RecentChanges;
  readonly desk: Desk;
}

/** A thread that does not exist. */
export function blankThread(): ThreadState {
  return {
    projectId: '',
    environmentId: '',
    channelId: null,
    channelKind: null,
    externalRef: null,
    status: 'open',
    agentMode: null,
    agentId: null,
    assigneeUserId: null,
    tags: [],
    customFields: {},
    metadata: {},
    lastMessageAt: '',
    createdAt: '',
    updatedAt: '',
    archivedAt: null,
    sequence: 0,
    window: null,
    recent: noChanges,
    desk: noDesk,
  };
}

/** Whether it was created: an actor is there for every id. */
export function exists(state: ThreadState): boolean {
  return state.projectId !== '';
}
