/** Alle Texte von Studio auf Deutsch. */
import type { StudioTexts } from '../en/index.ts';
import { channels } from './channels.ts';
import { events } from './events.ts';
import { home } from './home.ts';
import { keys } from './keys.ts';
import { confirm, errors, secret, shell, table } from './shell.ts';
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
};
