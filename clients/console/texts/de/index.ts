/** Alle Texte der Konsole auf Deutsch. */
import type { ConsoleTexts } from '../en/index.ts';
import { list } from './list.ts';
import { mentions } from './mentions.ts';
import { search } from './search.ts';
import { settings } from './settings.ts';
import { shell } from './shell.ts';
import { thread } from './thread.ts';

export const german: ConsoleTexts = { shell, list, mentions, search, settings, thread };
