// Original file: protocol/internal.proto

import type { Attachment as _skein_internal_v1_Attachment, Attachment__Output as _skein_internal_v1_Attachment__Output } from '../../../skein/internal/v1/Attachment.ts';

export interface SendMessageRequest {
  'projectId'?: (string);
  'environmentId'?: (string);
  'threadId'?: (string);
  /**
   * As of IngestMessageRequest.
   */
  'idempotencyKey'?: (string);
  'body'?: (string);
  'attachments'?: (_skein_internal_v1_Attachment)[];
  'metadataJson'?: (string);
}

export interface SendMessageRequest__Output {
  'projectId': (string);
  'environmentId': (string);
  'threadId': (string);
  /**
   * As of IngestMessageRequest.
   */
  'idempotencyKey': (string);
  'body': (string);
  'attachments': (_skein_internal_v1_Attachment__Output)[];
  'metadataJson': (string);
}
