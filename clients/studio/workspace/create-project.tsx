/** Makes a project, with its sandbox. */
import { Button, Text } from '@mantine/core';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { skein } from '../../kit/browser-session.ts';
import { NameDialog } from '../parts/name-dialog.tsx';
import { useWorkspace } from '../shell/workspace.tsx';
import { texts as allTexts } from '../texts/workspace.ts';
import { useRefresh } from './refresh.ts';

export function CreateProject() {
  const texts = allTexts;
  const { workspaceId, mayAdminister } = useWorkspace();
  const refresh = useRefresh();
  const [isOpen, setOpen] = useState(false);
  if (!mayAdminister) return null;
  return (
    <>
      <Button leftSection={<Plus size={14} aria-hidden />} onClick={() => setOpen(true)}>
        {texts.createProject}
      </Button>
      {isOpen && (
        <NameDialog
          title={texts.createProject}
          label={texts.name}
          action={texts.createProject}
          run={async name => {
            await skein.projects.create({ workspaceId, name });
            await refresh();
          }}
          onClose={() => setOpen(false)}
        >
          <Text size="sm">{texts.createProjectHint}</Text>
        </NameDialog>
      )}
    </>
  );
}
