// Original file: protocol/internal.proto

import type { Attachment as _skein_internal_v1_Attachment, Attachment__Output as _skein_internal_v1_Attachment__Output } from '../../../skein/internal/v1/Attachment.ts';

export interface IngestMessageRequest {
  'projectId'?: (string);
  'environmentId'?: (string);
  'channelId'?: (string);
  /**
   * 1 to 255 visible ASCII characters: the message is made once under it, however often it is sent within 24 hours.
   */
  'idempotencyKey'?: (string);
  /**
   * One of the next three is needed.
   */
  'threadId'?: (string);
  'externalThreadRef'?: (string);
  'externalParticipantRef'?: (string);
  'body'?: (string);
  'attachments'?: (_skein_internal_v1_Attachment)[];
  'metadataJson'?: (string);
  /**
   * What is known of the participant now (ParticipantInput of the public API).
   */
  'participantJson'?: (string);
}

export interface IngestMessageRequest__Output {
  'projectId': (string);
  'environmentId': (string);
  'channelId': (string);
  /**
   * 1 to 255 visible ASCII characters: the message is made once under it, however often it is sent within 24 hours.
   */
  'idempotencyKey': (string);
  /**
   * One of the next three is needed.
   */
  'threadId': (string);
  'externalThreadRef': (string);
  'externalParticipantRef': (string);
  'body': (string);
  'attachments': (_skein_internal_v1_Attachment__Output)[];
  'metadataJson': (string);
  /**
   * What is known of the participant now (ParticipantInput of the public API).
   */
  'participantJson': (string);
}
