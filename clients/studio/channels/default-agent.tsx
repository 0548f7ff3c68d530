/** Who answers new conversations of a channel. */
import { Select } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useAction } from '../../kit/use-action.ts';
import type { Channel } from '../../sdk/index.ts';
import { useAgents } from '../agents/use-agents.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';

export function DefaultAgent({ channel: { channelId, defaultAgentId } }: { readonly channel: Channel }) {
  const texts = useTexts().channels;
  const { client, environmentId, mayWrite } = useTenant();
  const queries = useQueryClient();
  const action = useAction();
  const { data: agents = [] } = useAgents();
  const choose = (chosen: string | null): Promise<boolean> =>
    action.run(async () => {
      await client.channels.update(channelId, { defaultAgentId: chosen });
      await queries.invalidateQueries({ queryKey: ['channels', environmentId] });
    });
  return (
    <>
      <Select
        size="xs"
        w={200}
        aria-label={texts.agent}
        placeholder={texts.noAgent}
        clearable={mayWrite}
        disabled={!mayWrite || action.isRunning}
        value={defaultAgentId ?? null}
        onChange={chosen => void choose(chosen)}
        data={agents.map(({ agentId, name }) => ({ value: agentId, label: name }))}
      />
      <ErrorNote error={action.error} />
    </>
  );
}
