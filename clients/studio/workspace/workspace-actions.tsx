/** What is done to a workspace as a whole: another name, the archive and back; and one more of them. */
import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { skein } from '../../kit/browser-session.ts';
import { Confirm } from '../parts/confirm.tsx';
import { NameDialog } from '../parts/name-dialog.tsx';
import { useWorkspace } from '../shell/workspace.tsx';
import { texts as allTexts } from '../texts/workspace.ts';
import { useRefresh } from './refresh.ts';

type Act = 'create' | 'rename' | 'archive' | 'restore';

export function WorkspaceActions() {
  const texts = allTexts;
  const { isOwner, isArchived, mayAdminister } = useWorkspace();
  const [chosen, setChosen] = useState<Act>();
  const close = (): void => setChosen(undefined);
  return (
    <>
      {mayAdminister && (
        <Button variant="default" onClick={() => setChosen('rename')}>
          {texts.acts.rename}
        </Button>
      )}
      {isOwner && !isArchived && (
        <Button variant="default" onClick={() => setChosen('archive')}>
          {texts.archiveWorkspace}
        </Button>
      )}
      {isOwner && isArchived && (
        <Button onClick={() => setChosen('restore')}>{texts.restoreWorkspace}</Button>
      )}
      {/* Everybody may have one of their own, also who only reads this one. */}
      <Button variant="default" onClick={() => setChosen('create')}>
        {texts.newWorkspace}
      </Button>
      {chosen !== undefined && <ActionDialog act={chosen} onClose={close} />}
    </>
  );
}

function ActionDialog({ act, onClose }: { readonly act: Act; readonly onClose: () => void }) {
  const texts = allTexts;
  const { workspace, workspaceId } = useWorkspace();
  const refresh = useRefresh();
  const navigate = useNavigate();
  const { name } = workspace;
  switch (act) {
    case 'create':
      return (
        <NameDialog
          title={texts.newWorkspace}
          label={texts.name}
          action={texts.newWorkspace}
          run={async given => {
            const created = await skein.workspaces.create({ name: given });
            await refresh();
            await navigate({
              to: '/workspace/$workspaceId',
              params: { workspaceId: created.workspaceId },
            });
          }}
          onClose={onClose}
        />
      );
    case 'rename':
      return (
        <NameDialog
          title={texts.actOn.rename(name)}
          label={texts.name}
          name={name}
          action={texts.save}
          run={async given => {
            await skein.workspaces.update(workspaceId, { name: given });
            await refresh();
          }}
          onClose={onClose}
        />
      );
    case 'archive':
      return (
        <Confirm
          title={texts.actOn.archive(name)}
          action={texts.archiveWorkspace}
          name={name}
          run={async () => {
            await skein.workspaces.archive(workspaceId);
            await refresh();
          }}
          onClose={onClose}
        >
          {texts.archiveWorkspaceHint}
        </Confirm>
      );
    case 'restore':
      return (
        <Confirm
          title={texts.actOn.restore(name)}
          action={texts.restoreWorkspace}
          name={name}
          run={async () => {
            await skein.workspaces.update(workspaceId, { archived: false });
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
