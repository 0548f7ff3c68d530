// Original file: protocol/internal.proto

import type { Message as _skein_internal_v1_Message, Message__Output as _skein_internal_v1_Message__Output } from '../../../skein/internal/v1/Message.ts';

export interface IngestMessageResponse {
  'message'?: (_skein_internal_v1_Message | null);
  /**
   * The message was there already, under this idempotency key.
   */
  'replayed'?: (boolean);
}

export interface IngestMessageResponse__Output {
  'message': (_skein_internal_v1_Message__Output | null);
  /**
   * The message was there already, under this idempotency key.
   */
  'replayed': (boolean);
}
