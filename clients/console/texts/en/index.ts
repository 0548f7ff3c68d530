/** All texts of the Console in English. What depends on numbers or names is a function. */
import { list } from './list.ts';
import { mentions } from './mentions.ts';
import { search } from './search.ts';
import { settings } from './settings.ts';
import { shell } from './shell.ts';
import { thread } from './thread.ts';

export const english = { shell, list, mentions, search, settings, thread };

export type ConsoleTexts = typeof english;
