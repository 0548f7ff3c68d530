/** The left side in a project: where one works, and what there is. */
import { useNavigate } from '@tanstack/react-router';
import { Building2, ExternalLink, HeartPulse } from 'lucide-react';
import { EnvironmentSelect } from '../../kit/shell/environment-select.tsx';
import { useTexts } from '../texts/index.ts';
import { useCaller } from './caller.ts';
import { mayOpen, pageGroups } from './nav-pages.ts';
import { NavAnchor, NavFrame, NavGroup, NavLink } from './nav-parts.tsx';
import { useTenant } from './tenant.tsx';

export function Nav({ onChosen }: { readonly onChosen?: (() => void) | undefined }) {
  const texts = useTexts().shell;
  const tenant = useTenant();
  const { projectId, environmentId, workspaceId } = tenant;
  const navigate = useNavigate();
  const { data: caller } = useCaller();
  const params = { projectId, environmentId };
  return (
    <NavFrame
      isInDrawer={onChosen !== undefined}
      last={
        <>
          <NavLink Icon={Building2} to="/workspace/$workspaceId" params={{ workspaceId }} onClick={onChosen}>
            {texts.pages.workspace}
          </NavLink>
          {caller?.user?.instanceAdmin === true && (
            <NavLink Icon={HeartPulse} to="/system" onClick={onChosen}>
              {texts.pages.system}
            </NavLink>
          )}
          <NavAnchor Icon={ExternalLink} href={`/console/${projectId}/${environmentId}/all`}>
            {texts.console}
          </NavAnchor>
          <NavAnchor Icon={ExternalLink} href="/docs">
            {texts.reference}
          </NavAnchor>
        </>
      }
    >
      <EnvironmentSelect
        place={params}
        onChosen={chosen =>
          void navigate({
            to: '/$projectId/$environmentId',
            params: { projectId: chosen.projectId, environmentId: chosen.environmentId },
          })
        }
      />
      {pageGroups.map(({ name, pages }) => (
        <NavGroup key={name ?? 'start'} label={name === undefined ? undefined : texts.groups[name]}>
          {pages
            .filter(page => mayOpen(tenant, page))
            .map(({ key, to, Icon }) => (
              <NavLink
                key={key}
                Icon={Icon}
                to={to}
                params={params}
                activeOptions={{ exact: key === 'home' }}
                onClick={onChosen}
              >
                {texts.pages[key]}
              </NavLink>
            ))}
        </NavGroup>
      ))}
    </NavFrame>
  );
}
