/** The modes that an agent answers in, as they are offered. */
export const agentModes = ['auto', 'suggest', 'paused'] as const;
export type AgentMode = (typeof agentModes)[number];
