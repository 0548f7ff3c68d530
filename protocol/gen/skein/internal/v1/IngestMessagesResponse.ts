// Original file: protocol/internal.proto

import type { IngestMessageResponse as _skein_internal_v1_IngestMessageResponse, IngestMessageResponse__Output as _skein_internal_v1_IngestMessageResponse__Output } from '../../../skein/internal/v1/IngestMessageResponse.ts';
import type { Status as _google_rpc_Status, Status__Output as _google_rpc_Status__Output } from '../../../google/rpc/Status.ts';

export interface IngestMessagesResponse {
  'correlationId'?: (string);
  'accepted'?: (_skein_internal_v1_IngestMessageResponse | null);
  'error'?: (_google_rpc_Status | null);
  /**
   * Of an accepted message: where the owner of its thread is reached, `host:port`. Empty: not known.
   */
  'owner'?: (string);
  'result'?: "accepted"|"error";
}

export interface IngestMessagesResponse__Output {
  'correlationId': (string);
  'accepted'?: (_skein_internal_v1_IngestMessageResponse__Output | null);
  'error'?: (_google_rpc_Status__Output | null);
  /**
   * Of an accepted message: where the owner of its thread is reached, `host:port`. Empty: not known.
   */
  'owner': (string);
  'result'?: "accepted"|"error";
}
