/** Whether a list shows what is archived, instead of what is in use: it stands in the address. */
import { readSearch } from './search.ts';

export interface ArchivedSearch {
  readonly archived?: 'yes';
}

export const toArchived = (isArchived: boolean): ArchivedSearch => (isArchived ? { archived: 'yes' } : {});

export const readArchived = (search: Readonly<Record<string, unknown>>): ArchivedSearch =>
  toArchived(readSearch(search, ['archived']).archived === 'yes');
