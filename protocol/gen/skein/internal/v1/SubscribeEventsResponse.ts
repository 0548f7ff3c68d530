// Original file: protocol/internal.proto

import type { Cursor as _skein_internal_v1_Cursor, Cursor__Output as _skein_internal_v1_Cursor__Output } from '../../../skein/internal/v1/Cursor.ts';
import type { Long } from '@grpc/proto-loader';

export interface _skein_internal_v1_SubscribeEventsResponse_Event {
  'seq'?: (number | string | Long);
  'eventName'?: (string);
  /**
   * The envelope, to the byte as webhooks have it.
   */
  'envelopeJson'?: (string);
}

export interface _skein_internal_v1_SubscribeEventsResponse_Event__Output {
  'seq': (string);
  'eventName': (string);
  /**
   * The envelope, to the byte as webhooks have it.
   */
  'envelopeJson': (string);
}

/**
 * Nothing is missing up to this number. Sent every 25 seconds.
 */
export interface _skein_internal_v1_SubscribeEventsResponse_Heartbeat {
  'seq'?: (number | string | Long);
}

/**
 * Nothing is missing up to this number. Sent every 25 seconds.
 */
export interface _skein_internal_v1_SubscribeEventsResponse_Heartbeat__Output {
  'seq': (string);
}

// Original file: protocol/internal.proto

export const _skein_internal_v1_SubscribeEventsResponse_Reset_Reason = {
  REASON_UNSPECIFIED: 'REASON_UNSPECIFIED',
  /**
   * The numbers have started over, or the cursor has no epoch.
   */
  REASON_EPOCH: 'REASON_EPOCH',
  /**
   * The cursor is older than what is kept for streams: 24 hours or 50,000 events.
   */
  REASON_EXPIRED: 'REASON_EXPIRED',
  /**
   * The cursor is ahead of the log.
   */
  REASON_AHEAD: 'REASON_AHEAD',
} as const;

export type _skein_internal_v1_SubscribeEventsResponse_Reset_Reason =
  | 'REASON_UNSPECIFIED'
  | 0
  /**
   * The numbers have started over, or the cursor has no epoch.
   */
  | 'REASON_EPOCH'
  | 1
  /**
   * The cursor is older than what is kept for streams: 24 hours or 50,000 events.
   */
  | 'REASON_EXPIRED'
  | 2
  /**
   * The cursor is ahead of the log.
   */
  | 'REASON_AHEAD'
  | 3

export type _skein_internal_v1_SubscribeEventsResponse_Reset_Reason__Output = typeof _skein_internal_v1_SubscribeEventsResponse_Reset_Reason[keyof typeof _skein_internal_v1_SubscribeEventsResponse_Reset_Reason]

/**
 * The events cannot be resumed from the cursor: read the state anew, and go on from this cursor, after which events follow.
 */
export interface _skein_internal_v1_SubscribeEventsResponse_Reset {
  'cursor'?: (_skein_internal_v1_Cursor | null);
  'reason'?: (_skein_internal_v1_SubscribeEventsResponse_Reset_Reason);
}

/**
 * The events cannot be resumed from the cursor: read the state anew, and go on from this cursor, after which events follow.
 */
export interface _skein_internal_v1_SubscribeEventsResponse_Reset__Output {
  'cursor': (_skein_internal_v1_Cursor__Output | null);
  'reason': (_skein_internal_v1_SubscribeEventsResponse_Reset_Reason__Output);
}

/**
 * The events after the cursor follow.
 */
export interface _skein_internal_v1_SubscribeEventsResponse_Resumed {
  'cursor'?: (_skein_internal_v1_Cursor | null);
}

/**
 * The events after the cursor follow.
 */
export interface _skein_internal_v1_SubscribeEventsResponse_Resumed__Output {
  'cursor': (_skein_internal_v1_Cursor__Output | null);
}

export interface SubscribeEventsResponse {
  'resumed'?: (_skein_internal_v1_SubscribeEventsResponse_Resumed | null);
  'event'?: (_skein_internal_v1_SubscribeEventsResponse_Event | null);
  'reset'?: (_skein_internal_v1_SubscribeEventsResponse_Reset | null);
  'heartbeat'?: (_skein_internal_v1_SubscribeEventsResponse_Heartbeat | null);
  'frame'?: "resumed"|"event"|"reset"|"heartbeat";
}

export interface SubscribeEventsResponse__Output {
  'resumed'?: (_skein_internal_v1_SubscribeEventsResponse_Resumed__Output | null);
  'event'?: (_skein_internal_v1_SubscribeEventsResponse_Event__Output | null);
  'reset'?: (_skein_internal_v1_SubscribeEventsResponse_Reset__Output | null);
  'heartbeat'?: (_skein_internal_v1_SubscribeEventsResponse_Heartbeat__Output | null);
  'frame'?: "resumed"|"event"|"reset"|"heartbeat";
}
