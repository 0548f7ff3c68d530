// Original file: protocol/internal.proto

import type { IngestMessageRequest as _skein_internal_v1_IngestMessageRequest, IngestMessageRequest__Output as _skein_internal_v1_IngestMessageRequest__Output } from '../../../skein/internal/v1/IngestMessageRequest.ts';

export interface IngestMessagesRequest {
  /**
   * Whatever tells the message's answer from others: at most 128 bytes.
   */
  'correlationId'?: (string);
  'message'?: (_skein_internal_v1_IngestMessageRequest | null);
}

export interface IngestMessagesRequest__Output {
  /**
   * Whatever tells the message's answer from others: at most 128 bytes.
   */
  'correlationId': (string);
  'message': (_skein_internal_v1_IngestMessageRequest__Output | null);
}
