/** The left side: where one works, and what there is. */
import { Link, useNavigate } from '@tanstack/react-router';
import {
  Activity,
  Bot,
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
import icon from '../../kit/icon.svg';
import { EnvironmentSelect } from '../../kit/shell/environment-select.tsx';
import { type StudioTexts, useTexts } from '../texts/index.ts';
import { useTenant } from './tenant.tsx';
import classes from './nav.module.css';

interface NavPage {
  readonly key: keyof StudioTexts['shell']['pages'];
  readonly to: string;
  readonly Icon: LucideIcon;
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
      { key: 'usage', to: '/$projectId/$environmentId/usage', Icon: ChartColumn },
      { key: 'team', to: '/$projectId/$environmentId/team', Icon: Users },
      { key: 'audit', to: '/$projectId/$environmentId/audit', Icon: ScrollText },
    ],
  },
] as const satisfies readonly {
  readonly name: keyof StudioTexts['shell']['groups'] | undefined;
  readonly pages: readonly NavPage[];
}[];

export function Nav({ onChosen }: { readonly onChosen?: () => void }) {
  const texts = useTexts().shell;
  const { projectId, environmentId } = useTenant();
  const navigate = useNavigate();
  const params = { projectId, environmentId };
  return (
    <nav className={classes['nav']} aria-label={texts.navLabel}>
      {/* In a drawer it has a title already. */}
      {onChosen === undefined && (
        <div className={classes['brand']}>
          <img src={icon} alt="" width={20} height={20} />
          {texts.appName}
        </div>
      )}
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
        <section key={name ?? 'start'} aria-label={name === undefined ? undefined : texts.groups[name]}>
          {name !== undefined && <div className={classes['group']}>{texts.groups[name]}</div>}
          <ul className={classes['pages']}>
            {pages.map(({ key, to, Icon }) => (
              <li key={key}>
                <Link
                  className={classes['page']}
                  to={to}
                  params={params}
                  activeOptions={{ exact: key === 'home' }}
                  onClick={onChosen}
                >
                  <Icon size={16} strokeWidth={1.7} aria-hidden />
                  {texts.pages[key]}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <ul className={classes['pages']} data-last>
        <li>
          <a className={classes['page']} href={`/console/${projectId}/${environmentId}/all`}>
            <ExternalLink size={16} strokeWidth={1.7} aria-hidden />
            {texts.console}
          </a>
        </li>
        <li>
          <a className={classes['page']} href="/docs">
            <ExternalLink size={16} strokeWidth={1.7} aria-hidden />
            {texts.reference}
          </a>
        </li>
      </ul>
    </nav>
  );
}
