/** The left side: where one works, and what there is. */
import { Link, useNavigate } from '@tanstack/react-router';
import {
  ChartColumn,
  ExternalLink,
  House,
  KeyRound,
  List,
  type LucideIcon,
  Radio,
  ScrollText,
  Users,
  Webhook,
} from 'lucide-react';
import icon from '../../kit/icon.svg';
import { EnvironmentSelect } from '../../kit/shell/environment-select.tsx';
import { useTexts } from '../texts/index.ts';
import { useTenant } from './tenant.tsx';
import classes from './nav.module.css';

const pages = [
  { key: 'home', to: '/$projectId/$environmentId', Icon: House },
  { key: 'channels', to: '/$projectId/$environmentId/channels', Icon: Radio },
  { key: 'webhooks', to: '/$projectId/$environmentId/webhooks', Icon: Webhook },
  { key: 'events', to: '/$projectId/$environmentId/events', Icon: List },
  { key: 'keys', to: '/$projectId/$environmentId/keys', Icon: KeyRound },
  { key: 'usage', to: '/$projectId/$environmentId/usage', Icon: ChartColumn },
  { key: 'team', to: '/$projectId/$environmentId/team', Icon: Users },
  { key: 'audit', to: '/$projectId/$environmentId/audit', Icon: ScrollText },
] as const satisfies readonly { readonly key: string; readonly to: string; readonly Icon: LucideIcon }[];

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
