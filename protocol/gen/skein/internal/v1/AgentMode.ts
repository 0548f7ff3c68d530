// Original file: protocol/internal.proto

/**
 * Unspecified: the thread has no mode of its own.
 */
export const AgentMode = {
  AGENT_MODE_UNSPECIFIED: 'AGENT_MODE_UNSPECIFIED',
  AGENT_MODE_AUTO: 'AGENT_MODE_AUTO',
  AGENT_MODE_SUGGEST: 'AGENT_MODE_SUGGEST',
  AGENT_MODE_PAUSED: 'AGENT_MODE_PAUSED',
} as const;

/**
 * Unspecified: the thread has no mode of its own.
 */
export type AgentMode =
  | 'AGENT_MODE_UNSPECIFIED'
  | 0
  | 'AGENT_MODE_AUTO'
  | 1
  | 'AGENT_MODE_SUGGEST'
  | 2
  | 'AGENT_MODE_PAUSED'
  | 3

/**
 * Unspecified: the thread has no mode of its own.
 */
export type AgentMode__Output = typeof AgentMode[keyof typeof AgentMode]
