/** Usage and budgets. */
export const usage = {
  title: 'Usage',
  about:
    'Messages, agents, tokens and what they cost, by days in UTC. Costs are estimates by the price table.',
  grouping: 'Grouped by',
  by: { day: 'Day', agent: 'Agent', model: 'Model', provider: 'Provider' },
  span: 'Days',
  lastDays: (days: number) => `Last ${days} days`,
  messages: 'Messages',
  inbound: 'In',
  outbound: 'Out',
  runs: 'Agent runs',
  toolCalls: 'Tool calls',
  tokens: 'Tokens',
  cost: 'Cost',
  noAgent: 'No agent',
  none: 'Nothing was used in this time.',
  budgets: {
    title: 'Budgets',
    of: {
      perRunMicros: 'For a run',
      perThreadMicros: 'For a conversation',
      perProjectDayMicros: 'For a day',
    },
    unlimited: 'Unlimited',
    onExceeded: 'Beyond a budget, the agent',
    exceeded: { suggest: 'only suggests answers', paused: 'pauses, and leaves the conversation to people' },
    save: 'Save the budgets',
  },
};
