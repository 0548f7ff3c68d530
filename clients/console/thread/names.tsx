/** Who is meant by the ids in a thread. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Actor, Agent } from '../../sdk/index.ts';
import { useTexts } from '../texts/index.ts';
import { useClient, useConversing } from './conversations-context.tsx';
import { listColleagues, type Colleague } from './people.ts';
import { useMembers } from './use-members.ts';

export interface Names {
  /** The operator is first. */
  readonly colleagues: readonly Colleague[];
  /** Whether the operator's role lets them change and answer; also where it is not known. */
  readonly mayAnswer: boolean;
  /** Whether that is known. */
  readonly isRoleKnown: boolean;
  person(userId: string | null | undefined): string;
  agent(agentId: string | null | undefined): string;
  /** In which an agent answers where a thread has no mode of its own. */
  agentMode(agentId: string | null | undefined): Agent['mode'] | undefined;
  /** Of everybody but the participant, who has a name of the thread. */
  actor(actor: Actor | undefined): string;
}

const rarelyChanges = 300_000;

export function useNames(): Names {
  const texts = useTexts().thread;
  const client = useClient();
  const { projectId, environmentId } = useConversing();
  const known = useMembers(projectId, client);
  const { data: agents } = useQuery({
    queryKey: ['agents', projectId, environmentId],
    staleTime: rarelyChanges,
    queryFn: () =>
      client.agents
        .list({ limit: 100 })
        .toArray(500)
        .catch(() => []),
  });
  return useMemo(() => {
    const colleagues = known === undefined ? [] : listColleagues({ ...known, nameless: texts.nameless });
    const people = new Map(colleagues.map(({ userId, name }) => [userId, name]));
    const agentNames = new Map((agents ?? []).map(({ agentId, name }) => [agentId, name]));
    const person = (userId: string | null | undefined): string =>
      userId == null ? texts.nobody : (people.get(userId) ?? texts.nameless(userId.slice(-4)));
    const agent = (agentId: string | null | undefined): string =>
      agentNames.get(agentId ?? '') ?? texts.message.agent;
    return {
      colleagues,
      mayAnswer: colleagues.find(({ isMe }) => isMe)?.canAnswer ?? true,
      isRoleKnown: known !== undefined,
      person,
      agent,
      agentMode: agentId => agents?.find(each => each.agentId === agentId)?.mode,
      actor(actor) {
        if (actor?.type === 'user') return person(actor.id);
        if (actor?.type === 'agent') return agent(actor.id);
        return actor?.type === 'api_key' ? texts.message.program : texts.message.system;
      },
    };
  }, [known, agents, texts]);
}
