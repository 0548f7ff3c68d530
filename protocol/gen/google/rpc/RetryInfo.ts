// Original file: protocol/google/rpc/error_details.proto

import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../google/protobuf/Duration.ts';

/**
 * When to try again.
 */
export interface RetryInfo {
  'retryDelay'?: (_google_protobuf_Duration | null);
}

/**
 * When to try again.
 */
export interface RetryInfo__Output {
  'retryDelay': (_google_protobuf_Duration__Output | null);
}
