// Original file: protocol/internal.proto

import type { Long } from '@grpc/proto-loader';

/**
 * A place in a project's events.
 */
export interface Cursor {
  /**
   * Changes when the numbers start over.
   */
  'epoch'?: (string);
  /**
   * The last event that was seen.
   */
  'seq'?: (number | string | Long);
}

/**
 * A place in a project's events.
 */
export interface Cursor__Output {
  /**
   * Changes when the numbers start over.
   */
  'epoch': (string);
  /**
   * The last event that was seen.
   */
  'seq': (string);
}
