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
  /**
   * MessageContentInput of the public API. Beside a content that is more than a text the body may be empty.
   */
  'contentJson'?: (string);
  /**
   * The message of the thread that this one answers.
   */
  'replyToMessageId'?: (string);
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
  /**
   * MessageContentInput of the public API. Beside a content that is more than a text the body may be empty.
   */
  'contentJson': (string);
  /**
   * The message of the thread that this one answers.
   */
  'replyToMessageId': (string);
}
