import type { privacyOperations } from '../../../protocol/operations/privacy.ts';
import { newInbound } from '../fixtures.ts';
import type { ScenariosOf } from '../scenario.ts';

export const privacyScenarios: ScenariosOf<typeof privacyOperations> = {
  erasePersonalData: {
    request: async place => ({ params: { threadId: (await newInbound(place)).threadId } }),
    refusals: {},
  },
};
