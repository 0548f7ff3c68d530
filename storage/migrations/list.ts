/** The migrations in the order in which they run. One that was released is never edited: add another. */
import { First } from './first.ts';
import { Mails } from './mails.ts';

export const migrations = [
  { name: '0001-first', class: First },
  { name: '0002-mails', class: Mails },
];
