/** The left side outside of a project: the pages of each workspace, and those of who is signed in. */
import { ArrowLeft, Blocks, Building2, CircleUser, HeartPulse } from 'lucide-react';
import { useTexts } from '../texts/index.ts';
import { listWorkspaces, useCaller } from './caller.ts';
import { NavFrame, NavGroup, NavLink } from './nav-parts.tsx';

export function OuterNav({ onChosen }: { readonly onChosen?: (() => void) | undefined }) {
  const texts = useTexts().shell;
  const { data: caller } = useCaller();
  return (
    <NavFrame
      isInDrawer={onChosen !== undefined}
      last={
        <NavLink Icon={ArrowLeft} to="/" onClick={onChosen}>
          {texts.toProject}
        </NavLink>
      }
    >
      <NavGroup label={texts.groups.account}>
        <NavLink Icon={CircleUser} to="/account" onClick={onChosen}>
          {texts.pages.account}
        </NavLink>
        {caller?.user?.instanceAdmin === true && (
          <NavLink Icon={HeartPulse} to="/system" onClick={onChosen}>
            {texts.pages.system}
          </NavLink>
        )}
      </NavGroup>
      {listWorkspaces(caller).map(({ workspaceId, name }) => (
        <NavGroup key={workspaceId} label={name}>
          <NavLink
            Icon={Building2}
            to="/workspace/$workspaceId"
            params={{ workspaceId }}
            activeOptions={{ exact: true }}
            onClick={onChosen}
          >
            {texts.pages.workspace}
          </NavLink>
          <NavLink
            Icon={Blocks}
            to="/workspace/$workspaceId/partner-apps"
            params={{ workspaceId }}
            onClick={onChosen}
          >
            {texts.pages.partnerApps}
          </NavLink>
        </NavGroup>
      ))}
    </NavFrame>
  );
}
