// Original file: protocol/internal.proto

import type { Cursor as _skein_internal_v1_Cursor, Cursor__Output as _skein_internal_v1_Cursor__Output } from '../../../skein/internal/v1/Cursor.ts';

export interface SubscribeEventsRequest {
  'projectId'?: (string);
  /**
   * Empty: all environments of the project.
   */
  'environmentId'?: (string);
  /**
   * Absent: from now on.
   */
  'cursor'?: (_skein_internal_v1_Cursor | null);
}

export interface SubscribeEventsRequest__Output {
  'projectId': (string);
  /**
   * Empty: all environments of the project.
   */
  'environmentId': (string);
  /**
   * Absent: from now on.
   */
  'cursor': (_skein_internal_v1_Cursor__Output | null);
}
