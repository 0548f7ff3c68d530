/** The pages of a project, in the order of the left side, which the palette has, too. */
import {
  Activity,
  Bot,
  ChartColumn,
  Cpu,
  House,
  KeyRound,
  List,
  MessagesSquare,
  type LucideIcon,
  NotebookPen,
  Radio,
  ScrollText,
  Users,
  Webhook,
  Wrench,
} from 'lucide-react';
import type { StudioTexts } from '../texts/index.ts';
import type { Tenant } from './tenant.tsx';

interface NavPage {
  readonly key: keyof StudioTexts['shell']['pages'];
  readonly to: string;
  readonly Icon: LucideIcon;
  /** Without it the page is refused, so nothing leads there. */
  readonly needs?: keyof Tenant;
}

export const pageGroups = [
  { name: undefined, pages: [{ key: 'home', to: '/$projectId/$environmentId', Icon: House }] },
  {
    name: 'build',
    pages: [
      { key: 'channels', to: '/$projectId/$environmentId/channels', Icon: Radio },
      { key: 'webhooks', to: '/$projectId/$environmentId/webhooks', Icon: Webhook },
      { key: 'messages', to: '/$projectId/$environmentId/messages', Icon: MessagesSquare },
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

export const mayOpen = (tenant: Tenant, page: NavPage): boolean =>
  page.needs === undefined || tenant[page.needs] === true;
