/** Whether threads that wait are given to operators by themselves, and up to how many each gets. */
import { Button, Group, NumberInput, Switch } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { skein } from '../../kit/browser-session.ts';
import type { Project } from '../../sdk/index.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { Section } from '../parts/page.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';

type Settings = NonNullable<Project['assignment']>;

/** The contract's. */
const mostOpen = 1_000;

export function Assignment() {
  const texts = useTexts().team;
  const { projectId } = useTenant();
  const { data: project } = useQuery({
    queryKey: ['project', projectId],
    queryFn: () => skein.projects.get(projectId),
  });
  const settings = project?.assignment;
  if (settings === undefined) return null;
  return (
    <Section title={texts.assignment}>
      {/* Anew with what somebody else has set. */}
      <AssignmentForm key={`${settings.mode} ${settings.maxOpenThreads}`} settings={settings} />
    </Section>
  );
}

function AssignmentForm({ settings }: { readonly settings: Settings }) {
  const texts = useTexts().team;
  const { projectId, mayAdminister } = useTenant();
  const queries = useQueryClient();
  const [isOn, setOn] = useState(settings.mode === 'roundRobin');
  const [most, setMost] = useState<number | string>(settings.maxOpenThreads);
  const isValid = typeof most === 'number' && Number.isInteger(most) && most >= 1 && most <= mostOpen;
  const isSame = isOn === (settings.mode === 'roundRobin') && most === settings.maxOpenThreads;
  const form = useSubmit(async () => {
    if (!isValid) return;
    const assignment: Settings = { mode: isOn ? 'roundRobin' : 'off', maxOpenThreads: most };
    queries.setQueryData(['project', projectId], await skein.projects.update(projectId, { assignment }));
  });
  return (
    <form onSubmit={form.submit}>
      <Switch
        label={texts.assignmentOn}
        description={texts.assignmentHint}
        checked={isOn}
        disabled={!mayAdminister}
        onChange={event => setOn(event.currentTarget.checked)}
      />
      <Group mt="sm" align="flex-end">
        <NumberInput
          label={texts.mostOpen}
          w={260}
          min={1}
          max={mostOpen}
          allowDecimal={false}
          value={most}
          disabled={!mayAdminister || !isOn}
          error={!isValid && texts.badMostOpen}
          onChange={setMost}
        />
        {mayAdminister && (
          <Button type="submit" loading={form.isRunning} disabled={!isValid || isSame}>
            {texts.saveAssignment}
          </Button>
        )}
      </Group>
      {form.error !== undefined && <ErrorNote error={form.error} />}
    </form>
  );
}
