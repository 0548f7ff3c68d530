// Original file: protocol/internal.proto

import type { Direction as _skein_internal_v1_Direction, Direction__Output as _skein_internal_v1_Direction__Output } from '../../../skein/internal/v1/Direction.ts';
import type { MessageStatus as _skein_internal_v1_MessageStatus, MessageStatus__Output as _skein_internal_v1_MessageStatus__Output } from '../../../skein/internal/v1/MessageStatus.ts';
import type { Attachment as _skein_internal_v1_Attachment, Attachment__Output as _skein_internal_v1_Attachment__Output } from '../../../skein/internal/v1/Attachment.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../../google/protobuf/Timestamp.ts';
import type { Actor as _skein_internal_v1_Actor, Actor__Output as _skein_internal_v1_Actor__Output } from '../../../skein/internal/v1/Actor.ts';
import type { Long } from '@grpc/proto-loader';

export interface Message {
  'messageId'?: (string);
  'threadId'?: (string);
  'projectId'?: (string);
  'environmentId'?: (string);
  'channelId'?: (string);
  'direction'?: (_skein_internal_v1_Direction);
  'body'?: (string);
  'status'?: (_skein_internal_v1_MessageStatus);
  'externalMessageId'?: (string);
  'attachments'?: (_skein_internal_v1_Attachment)[];
  'metadataJson'?: (string);
  'createdAt'?: (_google_protobuf_Timestamp | null);
  /**
   * Its place in the thread: 1, 2, 3 ...
   */
  'sequence'?: (number | string | Long);
  'actor'?: (_skein_internal_v1_Actor | null);
  /**
   * What it holds beside its text (MessageContent of the public API); empty: nothing.
   */
  'contentJson'?: (string);
  /**
   * The message that it answers (MessageReference).
   */
  'replyToJson'?: (string);
  /**
   * Why it failed (MessageError).
   */
  'errorJson'?: (string);
}

export interface Message__Output {
  'messageId': (string);
  'threadId': (string);
  'projectId': (string);
  'environmentId': (string);
  'channelId': (string);
  'direction': (_skein_internal_v1_Direction__Output);
  'body': (string);
  'status': (_skein_internal_v1_MessageStatus__Output);
  'externalMessageId': (string);
  'attachments': (_skein_internal_v1_Attachment__Output)[];
  'metadataJson': (string);
  'createdAt': (_google_protobuf_Timestamp__Output | null);
  /**
   * Its place in the thread: 1, 2, 3 ...
   */
  'sequence': (string);
  'actor': (_skein_internal_v1_Actor__Output | null);
  /**
   * What it holds beside its text (MessageContent of the public API); empty: nothing.
   */
  'contentJson': (string);
  /**
   * The message that it answers (MessageReference).
   */
  'replyToJson': (string);
  /**
   * Why it failed (MessageError).
   */
  'errorJson': (string);
}
