/** All texts of the Console in English. What depends on numbers or names is a function. */
import { shell } from './shell.ts';
import { thread } from './thread.ts';

export const english = { ...shell, thread };

export type ConsoleTexts = typeof english;
