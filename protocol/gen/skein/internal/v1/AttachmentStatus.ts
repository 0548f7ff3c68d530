// Original file: protocol/internal.proto

/**
 * Of a file that the chat provider has: whether it is kept here by now. Unspecified: it came with the message.
 */
export const AttachmentStatus = {
  ATTACHMENT_STATUS_UNSPECIFIED: 'ATTACHMENT_STATUS_UNSPECIFIED',
  ATTACHMENT_STATUS_PENDING: 'ATTACHMENT_STATUS_PENDING',
  ATTACHMENT_STATUS_READY: 'ATTACHMENT_STATUS_READY',
  ATTACHMENT_STATUS_FAILED: 'ATTACHMENT_STATUS_FAILED',
} as const;

/**
 * Of a file that the chat provider has: whether it is kept here by now. Unspecified: it came with the message.
 */
export type AttachmentStatus =
  | 'ATTACHMENT_STATUS_UNSPECIFIED'
  | 0
  | 'ATTACHMENT_STATUS_PENDING'
  | 1
  | 'ATTACHMENT_STATUS_READY'
  | 2
  | 'ATTACHMENT_STATUS_FAILED'
  | 3

/**
 * Of a file that the chat provider has: whether it is kept here by now. Unspecified: it came with the message.
 */
export type AttachmentStatus__Output = typeof AttachmentStatus[keyof typeof AttachmentStatus]
