/** Alle Texte von Studio auf Deutsch. */
import type { StudioTexts } from '../en/index.ts';
import { account } from './account.ts';
import { agents, credentials, looms, runs, tools } from './agents.ts';
import { audit } from './audit.ts';
import { channels } from './channels.ts';
import { events } from './events.ts';
import { home } from './home.ts';
import { keys } from './keys.ts';
import { messages } from './messages.ts';
import { palette } from './palette.ts';
import { confirm, errors, secret, shell, table } from './shell.ts';
import { team } from './team.ts';
import { usage } from './usage.ts';
import { webhooks } from './webhooks.ts';

export const german: StudioTexts = {
  shell,
  table,
  errors,
  secret,
  confirm,
  home,
  keys,
  channels,
  webhooks,
  events,
  messages,
  team,
  audit,
  usage,
  agents,
  looms,
  tools,
  runs,
  credentials,
  account,
  palette,
};
