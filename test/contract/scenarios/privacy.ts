import type { privacyOperations } from '../../../protocol/operations/privacy.ts';
import { newInbound } from '../resources.ts';
import type { ScenariosOf } from '../scenario.ts';

export const privacyScenarios: ScenariosOf<typeof privacyOperations> = {
  listPersonalData: {
    request: async env => ({ params: { threadId: (await newInbound(env)).threadId } }),
    refusals: {},
  },
  erasePersonalData: {
    request: async env => ({ params: { threadId: (await newInbound(env)).threadId } }),
    refusals: {},
  },
};
