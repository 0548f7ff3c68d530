import type { usageOperations } from '../../../protocol/operations/usage.ts';
import type { ScenariosOf } from '../scenario.ts';

export const usageScenarios: ScenariosOf<typeof usageOperations> = {
  listUsage: {
    request: ({ projectId, environmentId }) => ({ query: { projectId, environmentId } }),
    refusals: {},
  },
  listModelPrices: {
    request: ({ projectId, environmentId }) => ({
      query: { projectId, environmentId, model: 'gpt-4o-mini' },
    }),
    refusals: {},
  },
};
