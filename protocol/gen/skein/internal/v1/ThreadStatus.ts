// Original file: protocol/internal.proto

export const ThreadStatus = {
  THREAD_STATUS_UNSPECIFIED: 'THREAD_STATUS_UNSPECIFIED',
  THREAD_STATUS_OPEN: 'THREAD_STATUS_OPEN',
  THREAD_STATUS_CLOSED: 'THREAD_STATUS_CLOSED',
  THREAD_STATUS_ARCHIVED: 'THREAD_STATUS_ARCHIVED',
} as const;

export type ThreadStatus =
  | 'THREAD_STATUS_UNSPECIFIED'
  | 0
  | 'THREAD_STATUS_OPEN'
  | 1
  | 'THREAD_STATUS_CLOSED'
  | 2
  | 'THREAD_STATUS_ARCHIVED'
  | 3

export type ThreadStatus__Output = typeof ThreadStatus[keyof typeof ThreadStatus]
