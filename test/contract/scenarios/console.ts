import type { consoleOperations } from '../../../protocol/operations/console.ts';
import type { contractOperations } from '../../../protocol/operations/contract.ts';
import type { ScenariosOf } from '../scenario.ts';
import { newMember, type Place } from '../world.ts';

const inProject = ({ projectId }: Place): { projectId: string } => ({ projectId });

export const consoleScenarios: ScenariosOf<typeof consoleOperations> = {
  listConsoleMembers: { request: place => ({ params: inProject(place) }), refusals: {} },
  upsertConsoleMember: {
    request: async place => ({
      params: inProject(place),
      body: { userId: await newMember(place), role: 'agent' },
    }),
    refusals: {},
  },
  removeConsoleMember: {
    request: async place => {
      const userId = await newMember(place);
      await place.person.get('upsertConsoleMember', {
        params: inProject(place),
        body: { userId, role: 'agent' },
      });
      return { params: { ...inProject(place), userId } };
    },
    refusals: {},
  },
  createStreamTicket: {
    request: place => ({ params: inProject(place) }),
    refusals: {},
  },
  openStream: { request: place => ({ params: inProject(place) }), refusals: {} },
  listStreamEvents: {
    request: place => ({ params: inProject(place) }),
    variants: [place => ({ params: inProject(place), query: { afterSeq: 1, limit: 1 } })],
    refusals: {},
  },
};

export const contractScenarios: ScenariosOf<typeof contractOperations> = {
  getOpenApi: { request: () => ({}), refusals: {} },
  getEnvelopeExample: { request: () => ({}), refusals: {} },
};
