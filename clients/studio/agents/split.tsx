/** Has a share of an agent's conversations answered by another version than the one in use; the same conversations each time. */
import { Button, Group, NumberInput, Select, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useAction } from '../../kit/use-action.ts';
import type { Agent, LoomVersion } from '../../sdk/index.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { Time } from '../parts/time.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';

/** The newest; older ones are chosen by the API. */
const mostVersions = 200;
const firstPercent = 10;

interface SplitProps {
  readonly agent: Agent;
  readonly loomId: string;
}

export function Split({ agent, loomId }: SplitProps) {
  const texts = useTexts().agents.split;
  const { client, mayWrite } = useTenant();
  const refresh = useRefresh();
  const action = useAction();
  const { data: versions } = useQuery({
    queryKey: ['loom-versions', loomId, 'choices'],
    queryFn: () => client.looms.listVersions(loomId, { limit: 100 }).toArray(mostVersions),
  });
  const { split, agentId, activeLoomVersionId, archivedAt } = agent;
  const number = (id: string | undefined): number =>
    versions?.find(({ loomVersionId }) => loomVersionId === id)?.version ?? 0;
  const end = (): Promise<boolean> =>
    action.run(async () => {
      await client.agents.update(agentId, { split: null });
      await refresh();
    });
  if (versions === undefined) return null;
  return (
    <Stack gap="sm" maw={560}>
      {split == null ? (
        <Text size="sm">{texts.none(number(activeLoomVersionId))}</Text>
      ) : (
        <Text size="sm">
          {texts.shares(split.percent, number(split.loomVersionId), number(activeLoomVersionId))}{' '}
          <Time at={split.startedAt} />
        </Text>
      )}
      <ErrorNote error={action.error} />
      {mayWrite && archivedAt == null && (
        <SplitForm
          // Anew where it has changed.
          key={split == null ? '' : `${split.loomVersionId} ${split.percent}`}
          agent={agent}
          choices={versions.filter(
            each => each.status === 'published' && each.loomVersionId !== activeLoomVersionId,
          )}
          end={
            split != null && (
              <Button variant="default" loading={action.isRunning} onClick={() => void end()}>
                {texts.end}
              </Button>
            )
          }
        />
      )}
    </Stack>
  );
}

interface SplitFormProps {
  readonly agent: Agent;
  readonly choices: readonly LoomVersion[];
  readonly end: ReactNode;
}

function SplitForm({ agent: { agentId, split }, choices, end }: SplitFormProps) {
  const texts = useTexts().agents.split;
  const looms = useTexts().looms;
  const { client } = useTenant();
  const refresh = useRefresh();
  const [loomVersionId, setVersion] = useState<string | null>(split?.loomVersionId ?? null);
  const [percent, setPercent] = useState<number | string>(split?.percent ?? firstPercent);
  const { isRunning, error, submit } = useSubmit(async () => {
    if (loomVersionId === null) return;
    await client.agents.update(agentId, { split: { loomVersionId, percent: Number(percent) } });
    await refresh();
  });
  if (choices.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {texts.noOther}
      </Text>
    );
  }
  return (
    <form onSubmit={submit} aria-label={texts.title}>
      <Stack gap="sm">
        <Group grow align="flex-end">
          <Select
            label={texts.version}
            placeholder={texts.choose}
            allowDeselect={false}
            value={loomVersionId}
            onChange={setVersion}
            data={choices.map(each => ({ value: each.loomVersionId, label: looms.numbered(each.version) }))}
          />
          <NumberInput
            label={texts.percent}
            min={0}
            max={100}
            step={1}
            clampBehavior="strict"
            allowDecimal={false}
            suffix=" %"
            value={percent}
            onChange={setPercent}
          />
        </Group>
        <Text size="sm" c="dimmed">
          {texts.hint}
        </Text>
        <ErrorNote error={error} />
        <Group>
          <Button type="submit" loading={isRunning} disabled={loomVersionId === null || percent === ''}>
            {split == null ? texts.begin : texts.change}
          </Button>
          {end}
        </Group>
      </Stack>
    </form>
  );
}

function useRefresh(): () => Promise<void> {
  const { environmentId } = useTenant();
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ['agents', environmentId] });
}
