/** The frames of pages outside of a project: those of a workspace, and those of who is signed in. */
import { useParams } from '@tanstack/react-router';
import { OpenPalette } from '../palette/open-palette.tsx';
import { useTexts } from '../texts/index.ts';
import { ArchivedNotice } from './archived-notice.tsx';
import { toMe, useCaller } from './caller.ts';
import { Frame, Searching } from './frame.tsx';
import { NoSuchPlace } from './no-such-place.tsx';
import { OuterNav } from './outer-nav.tsx';
import { useFindWorkspace, WorkspaceProvider } from './workspace.tsx';

export function WorkspaceFrame() {
  const { workspaceId } = useParams({ from: '/signed-in/workspace/$workspaceId' });
  const texts = useTexts().shell;
  const workspace = useFindWorkspace(workspaceId);
  if (workspace === undefined) return <Searching />;
  if (workspace === null) {
    return (
      <NoSuchPlace
        title={texts.noSuchWorkspace}
        hint={texts.noSuchWorkspaceHint}
        elsewhere={texts.elsewhere}
      />
    );
  }
  return (
    <WorkspaceProvider key={workspaceId} workspace={workspace}>
      <Frame
        me={workspace.me}
        nav={onChosen => <OuterNav onChosen={onChosen} />}
        search={<OpenPalette />}
        notice={workspace.isArchived && <ArchivedNotice text={texts.workspaceArchived} />}
      />
    </WorkspaceProvider>
  );
}

export function AccountFrame() {
  const { data: caller, error } = useCaller();
  if (caller === undefined && error !== null) throw error;
  if (caller === undefined) return <Searching />;
  return (
    <Frame me={toMe(caller)} nav={onChosen => <OuterNav onChosen={onChosen} />} search={<OpenPalette />} />
  );
}
