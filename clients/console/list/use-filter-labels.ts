/** What a list can be filtered by, in the words of the page. */
import { useQuery } from '@tanstack/react-query';
import { agentModes } from '../agent/modes.ts';
import { useClient, useConversing } from '../thread/conversations-context.tsx';
import { useNames } from '../thread/names.tsx';
import { useTexts } from '../texts/index.ts';

export type FilterLabels = ReturnType<typeof useFilterLabels>;

/** The names of what is filtered by. */
export function useFilterLabels() {
  const texts = useTexts().list;
  const client = useClient();
  const { projectId, environmentId } = useConversing();
  const names = useNames();
  const { data: channels = [] } = useQuery({
    queryKey: ['channels', projectId, environmentId],
    queryFn: () => client.channels.list({ limit: 100 }).toArray(200),
    staleTime: 300_000,
  });
  const people = [
    { value: 'unassigned', label: texts.unassigned },
    ...names.colleagues.map(({ userId, name }) => ({ value: userId, label: name })),
  ];
  const modes = ([...agentModes, 'none'] as const).map(value => ({
    value,
    label: texts.modes[value],
  }));
  const channelOptions = channels.map(({ channelId, name }) => ({ value: channelId, label: name }));
  const all = new Map([...people, ...modes, ...channelOptions].map(({ value, label }) => [value, label]));
  return {
    people,
    modes,
    channels: channelOptions,
    describe: (name: string, value: string): string =>
      name === 'unread' ? texts.unreadOnly : name === 'tag' ? `#${value}` : (all.get(value) ?? value),
  };
}
