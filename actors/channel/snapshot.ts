/** How a channel is stored: a row of `channels`. */
import type { ChannelKind, ChannelStatus } from '../../protocol/resources/index.ts';
import { instant, snapshotTable } from '../../storage/statements/index.ts';
import type { Metadata } from '../base/index.ts';
import type { ChannelState, ChatappState } from './state.ts';

/** A row of `channels` as JSON. */
export type ChannelRow = {
  readonly project_id: string;
  readonly environment_id: string;
  readonly name: string;
  readonly kind: ChannelKind;
  readonly status: ChannelStatus;
  readonly default_agent_id: string | null;
  readonly metadata: Metadata;
  readonly created_at: string;
  readonly updated_at: string;
  readonly chatapp: ChatappState | null;
  readonly state: { readonly events: number };
};

/** The state of a row, for the actor and for reads that show the channel without activating it. */
export function decodeChannel(row: ChannelRow): ChannelState {
  return {
    projectId: row.project_id,
    environmentId: row.environment_id,
    name: row.name,
    kind: row.kind,
    status: row.status,
    defaultAgentId: row.default_agent_id,
    metadata: row.metadata,
    createdAt: instant(row.created_at),
    updatedAt: instant(row.updated_at),
    events: row.state.events,
    chatapp: row.chatapp,
    works: {},
  };
}

export const channelSnapshot = snapshotTable<ChannelState>({
  kind: 'channel',
  table: 'channels',
  key: 'channel_id',
  fixed: { project_id: 'text', environment_id: 'text', kind: 'text', created_at: 'timestamptz' },
  columns: {
    name: 'text',
    status: 'text',
    default_agent_id: 'text',
    partner_app_credential_id: 'text',
    phone_number_id: 'text',
    chatapp: 'jsonb',
    metadata: 'jsonb',
    updated_at: 'timestamptz',
    state: 'jsonb',
  },
  encode: state => ({
    project_id: state.projectId,
    environment_id: state.environmentId,
    name: state.name,
    kind: state.kind,
    status: state.status,
    default_agent_id: state.defaultAgentId,
    // For searches: what refuses to revoke the app, and what keeps a number to one channel.
    partner_app_credential_id:
      (state.chatapp?.connection ?? state.chatapp?.attempt)?.partnerAppCredentialId ?? null,
    phone_number_id: (state.chatapp?.connection ?? state.chatapp?.attempt)?.phoneNumberId ?? null,
    metadata: JSON.stringify(state.metadata),
    created_at: state.createdAt,
    updated_at: state.updatedAt,
    chatapp: state.chatapp === null ? null : JSON.stringify(state.chatapp),
    state: JSON.stringify({ events: state.events }),
  }),
  decode: row => decodeChannel(row as unknown as ChannelRow),
});
