// Original file: protocol/internal.proto

import type { ThreadStatus as _skein_internal_v1_ThreadStatus, ThreadStatus__Output as _skein_internal_v1_ThreadStatus__Output } from '../../../skein/internal/v1/ThreadStatus.ts';
import type { AgentMode as _skein_internal_v1_AgentMode, AgentMode__Output as _skein_internal_v1_AgentMode__Output } from '../../../skein/internal/v1/AgentMode.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../../google/protobuf/Timestamp.ts';
import type { ServiceWindow as _skein_internal_v1_ServiceWindow, ServiceWindow__Output as _skein_internal_v1_ServiceWindow__Output } from '../../../skein/internal/v1/ServiceWindow.ts';
import type { Long } from '@grpc/proto-loader';

export interface Thread {
  'threadId'?: (string);
  'projectId'?: (string);
  'environmentId'?: (string);
  'channelId'?: (string);
  'externalRef'?: (string);
  'status'?: (_skein_internal_v1_ThreadStatus);
  'agentMode'?: (_skein_internal_v1_AgentMode);
  'agentId'?: (string);
  'assigneeUserId'?: (string);
  'tags'?: (string)[];
  'customFieldsJson'?: (string);
  'metadataJson'?: (string);
  'lastMessageAt'?: (_google_protobuf_Timestamp | null);
  'createdAt'?: (_google_protobuf_Timestamp | null);
  'updatedAt'?: (_google_protobuf_Timestamp | null);
  'archivedAt'?: (_google_protobuf_Timestamp | null);
  /**
   * The number of its last event.
   */
  'sequence'?: (number | string | Long);
  /**
   * Absent: the channel has none.
   */
  'serviceWindow'?: (_skein_internal_v1_ServiceWindow | null);
  /**
   * Who writes on the other side (Participant of the public API); empty: nobody.
   */
  'participantJson'?: (string);
}

export interface Thread__Output {
  'threadId': (string);
  'projectId': (string);
  'environmentId': (string);
  'channelId': (string);
  'externalRef': (string);
  'status': (_skein_internal_v1_ThreadStatus__Output);
  'agentMode': (_skein_internal_v1_AgentMode__Output);
  'agentId': (string);
  'assigneeUserId': (string);
  'tags': (string)[];
  'customFieldsJson': (string);
  'metadataJson': (string);
  'lastMessageAt': (_google_protobuf_Timestamp__Output | null);
  'createdAt': (_google_protobuf_Timestamp__Output | null);
  'updatedAt': (_google_protobuf_Timestamp__Output | null);
  'archivedAt': (_google_protobuf_Timestamp__Output | null);
  /**
   * The number of its last event.
   */
  'sequence': (string);
  /**
   * Absent: the channel has none.
   */
  'serviceWindow': (_skein_internal_v1_ServiceWindow__Output | null);
  /**
   * Who writes on the other side (Participant of the public API); empty: nobody.
   */
  'participantJson': (string);
}
