/** The modes of agents, in lists and in conversations. */
export const agentModes = { auto: 'Auto', suggest: 'Suggest', paused: 'Paused' };
