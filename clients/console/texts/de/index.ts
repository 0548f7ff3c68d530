/** Alle Texte der Konsole auf Deutsch. */
import type { ConsoleTexts } from '../en/index.ts';
import { shell } from './shell.ts';
import { thread } from './thread.ts';

export const german: ConsoleTexts = { ...shell, thread };
