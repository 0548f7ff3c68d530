/** All texts of Studio in English. What depends on numbers or names is a function. */
import { channels } from './channels.ts';
import { events } from './events.ts';
import { home } from './home.ts';
import { keys } from './keys.ts';
import { confirm, errors, secret, shell, table } from './shell.ts';
import { webhooks } from './webhooks.ts';

export const english = { shell, table, errors, secret, confirm, home, keys, channels, webhooks, events };

export type StudioTexts = typeof english;
