/** What is done to a project: another name, production, the archive and back. */
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { skein } from '../../kit/browser-session.ts';
import { useEnvironments } from '../../kit/shell/environments.ts';
import type { Project } from '../../sdk/index.ts';
import { Confirm } from '../parts/confirm.tsx';
import { NameDialog } from '../parts/name-dialog.tsx';
import { useWorkspace } from '../shell/workspace.tsx';
import { texts as allTexts } from '../texts/workspace.ts';
import { useRefresh } from './refresh.ts';

type Act = 'rename' | 'production' | 'archive' | 'restore';

export function ProjectActions({ project }: { readonly project: Project }) {
  const texts = allTexts;
  const { mayAdminister } = useWorkspace();
  const { data: places } = useEnvironments();
  const [chosen, setChosen] = useState<Act>();
  if (!mayAdminister) return null;
  const { projectId, name, archivedAt } = project;
  const hasNoProduction =
    places?.some(each => each.projectId === projectId) === true &&
    !places.some(each => each.projectId === projectId && each.isProduction);
  const acts: readonly Act[] =
    archivedAt == null
      ? ['rename', ...(hasNoProduction ? (['production'] as const) : []), 'archive']
      : ['restore'];
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      {acts.map(act => (
        <Button
          key={act}
          size="compact-xs"
          variant="subtle"
          color={act === 'archive' ? 'red.8' : undefined}
          aria-label={texts.actOn[act](name)}
          onClick={() => setChosen(act)}
        >
          {texts.acts[act]}
        </Button>
      ))}
      {chosen !== undefined && (
        <ActionDialog act={chosen} project={project} onClose={() => setChosen(undefined)} />
      )}
    </Group>
  );
}

interface ActionDialogProps {
  readonly act: Act;
  readonly project: Project;
  readonly onClose: () => void;
}

function ActionDialog({ act, project: { projectId, name }, onClose }: ActionDialogProps) {
  const texts = allTexts;
  const refresh = useRefresh();
  const title = texts.actOn[act](name);
  const action = texts.acts[act];
  switch (act) {
    case 'rename':
      return (
        <NameDialog
          title={title}
          label={texts.name}
          name={name}
          action={texts.save}
          run={async given => {
            await skein.projects.update(projectId, { name: given });
            await refresh();
          }}
          onClose={onClose}
        />
      );
    case 'production':
      return (
        <NameDialog
          title={title}
          label={texts.environmentName}
          action={texts.createProduction}
          run={async given => {
            await skein.environments.create({ projectId, name: given });
            await refresh();
          }}
          onClose={onClose}
        >
          <Text size="sm">{texts.productionHint}</Text>
        </NameDialog>
      );
    case 'archive':
      return (
        <Confirm
          title={title}
          action={action}
          name={name}
          run={async () => {
            await skein.projects.archive(projectId);
            await refresh();
          }}
          onClose={onClose}
        >
          {texts.archiveProjectHint}
        </Confirm>
      );
    case 'restore':
      return (
        <Confirm
          title={title}
          action={action}
          name={name}
          run={async () => {
            await skein.projects.update(projectId, { archived: false });
            await refresh();
          }}
          onClose={onClose}
        >
          {texts.restoreHint}
        </Confirm>
      );
    default:
      return act satisfies never;
  }
}
