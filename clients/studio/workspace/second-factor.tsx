/** Whether the workspace demands a second factor of its members: its owners decide. */
import { Switch, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { skein } from '../../kit/browser-session.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { useWorkspace, workspaceKey } from '../shell/workspace.tsx';
import { texts as allTexts } from '../texts/workspace.ts';

export function SecondFactorDemand() {
  const texts = allTexts.secondFactor;
  const { workspace, workspaceId, isOwner, isArchived } = useWorkspace();
  const queries = useQueryClient();
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<unknown>();
  const { requiresSecondFactor } = workspace;
  if (!isOwner || isArchived) {
    return <Text size="sm">{requiresSecondFactor ? texts.isDemanded : texts.isNotDemanded}</Text>;
  }
  const change = async (demanded: boolean): Promise<void> => {
    setRunning(true);
    setError(undefined);
    try {
      await skein.workspaces.update(workspaceId, { requiresSecondFactor: demanded });
      await queries.invalidateQueries({ queryKey: workspaceKey(workspaceId) });
    } catch (problem) {
      setError(problem);
    } finally {
      setRunning(false);
    }
  };
  return (
    <>
      <Switch
        label={texts.demand}
        description={texts.hint}
        checked={requiresSecondFactor}
        disabled={isRunning}
        onChange={event => void change(event.currentTarget.checked)}
      />
      {error !== undefined && <ErrorNote error={error} />}
    </>
  );
}
