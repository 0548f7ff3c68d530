// Original file: protocol/internal.proto

export const Direction = {
  DIRECTION_UNSPECIFIED: 'DIRECTION_UNSPECIFIED',
  DIRECTION_INBOUND: 'DIRECTION_INBOUND',
  DIRECTION_OUTBOUND: 'DIRECTION_OUTBOUND',
} as const;

export type Direction =
  | 'DIRECTION_UNSPECIFIED'
  | 0
  | 'DIRECTION_INBOUND'
  | 1
  | 'DIRECTION_OUTBOUND'
  | 2

export type Direction__Output = typeof Direction[keyof typeof Direction]
