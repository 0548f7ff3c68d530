/** The left side in a project: where one works, and what there is. */
import { useNavigate } from '@tanstack/react-router';
import {
  Activity,
  Bot,
  Building2,
  ChartColumn,
  Cpu,
  ExternalLink,
  House,
  KeyRound,
  List,
  type LucideIcon,
  NotebookPen,
  Radio,
  ScrollText,
  Users,
  Webhook,
  Wrench,
} from 'lucide-react';
import { EnvironmentSelect } from '../../kit/shell/environment-select.tsx';
import { type StudioTexts, useTexts } from '../texts/index.ts';
import { NavAnchor, NavFrame, NavGroup, NavLink } from './nav-parts.tsx';
import { type Tenant, useTenant } from './tenant.tsx';

interface NavPage {
  readonly key: keyof StudioTexts['shell']['pages'];
  readonly to: string;
  readonly Icon: LucideIcon;
  /** Without it the page is refused, so nothing leads there. */
  readonly needs?: keyof Tenant;
}

const groups = [
  { name: undefined, pages: [{ key: 'home', to: '/$projectId/$environmentId', Icon: House }] },
  {
    name: 'build',
    pages: [
      { key: 'channels', to: '/$projectId/$environmentId/channels', Icon: Radio },
      { key: 'webhooks', to: '/$projectId/$environmentId/webhooks', Icon: Webhook },
      { key: 'events', to: '/$projectId/$environmentId/events', Icon: List },
      { key: 'keys', to: '/$projectId/$environmentId/keys', Icon: KeyRound },
    ],
  },
  {
    name: 'agents',
    pages: [
      { key: 'agents', to: '/$projectId/$environmentId/agents', Icon: Bot },
      { key: 'instructions', to: '/$projectId/$environmentId/instructions', Icon: NotebookPen },
      { key: 'tools', to: '/$projectId/$environmentId/tools', Icon: Wrench },
      { key: 'runs', to: '/$projectId/$environmentId/runs', Icon: Activity },
      { key: 'credentials', to: '/$projectId/$environmentId/providers', Icon: Cpu },
    ],
  },
  {
    name: 'manage',
    pages: [
      { key: 'usage', to: '/$projectId/$environmentId/usage', Icon: ChartColumn, needs: 'mayReadUsage' },
      { key: 'team', to: '/$projectId/$environmentId/team', Icon: Users },
      { key: 'audit', to: '/$projectId/$environmentId/audit', Icon: ScrollText, needs: 'mayReadAudit' },
    ],
  },
] as const satisfies readonly {
  readonly name: keyof StudioTexts['shell']['groups'] | undefined;
  readonly pages: readonly NavPage[];
}[];

const mayOpen = (tenant: Tenant, page: NavPage): boolean =>
  page.needs === undefined || tenant[page.needs] === true;

export function Nav({ onChosen }: { readonly onChosen?: (() => void) | undefined }) {
  const texts = useTexts().shell;
  const tenant = useTenant();
  const { projectId, environmentId, workspaceId } = tenant;
  const navigate = useNavigate();
  const params = { projectId, environmentId };
  return (
    <NavFrame
      isInDrawer={onChosen !== undefined}
      last={
        <>
          <NavLink Icon={Building2} to="/workspace/$workspaceId" params={{ workspaceId }} onClick={onChosen}>
            {texts.pages.workspace}
          </NavLink>
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
      {groups.map(({ name, pages }) => (
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
