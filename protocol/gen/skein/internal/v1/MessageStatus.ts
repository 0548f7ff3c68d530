// Original file: protocol/internal.proto

/**
 * Unspecified: an inbound message, which has none.
 */
export const MessageStatus = {
  MESSAGE_STATUS_UNSPECIFIED: 'MESSAGE_STATUS_UNSPECIFIED',
  MESSAGE_STATUS_QUEUED: 'MESSAGE_STATUS_QUEUED',
  MESSAGE_STATUS_SENT: 'MESSAGE_STATUS_SENT',
  MESSAGE_STATUS_DELIVERED: 'MESSAGE_STATUS_DELIVERED',
  MESSAGE_STATUS_READ: 'MESSAGE_STATUS_READ',
  MESSAGE_STATUS_FAILED: 'MESSAGE_STATUS_FAILED',
} as const;

/**
 * Unspecified: an inbound message, which has none.
 */
export type MessageStatus =
  | 'MESSAGE_STATUS_UNSPECIFIED'
  | 0
  | 'MESSAGE_STATUS_QUEUED'
  | 1
  | 'MESSAGE_STATUS_SENT'
  | 2
  | 'MESSAGE_STATUS_DELIVERED'
  | 3
  | 'MESSAGE_STATUS_READ'
  | 4
  | 'MESSAGE_STATUS_FAILED'
  | 5

/**
 * Unspecified: an inbound message, which has none.
 */
export type MessageStatus__Output = typeof MessageStatus[keyof typeof MessageStatus]
