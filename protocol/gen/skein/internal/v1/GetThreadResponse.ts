// Original file: protocol/internal.proto

import type { Thread as _skein_internal_v1_Thread, Thread__Output as _skein_internal_v1_Thread__Output } from '../../../skein/internal/v1/Thread.ts';

export interface GetThreadResponse {
  'thread'?: (_skein_internal_v1_Thread | null);
}

export interface GetThreadResponse__Output {
  'thread': (_skein_internal_v1_Thread__Output | null);
}
