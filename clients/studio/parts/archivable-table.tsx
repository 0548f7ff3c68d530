/** A list of what can be archived: what is in use, or what is archived, by a switch whose state stands in the address. */
import type { ReactNode } from 'react';
import { useTexts } from '../texts/index.ts';
import { type ArchivedSearch, toArchived } from './archived-search.ts';
import { DataTable, type DataTableProps } from './data-table.tsx';
import { SwitchFilter } from './filters.tsx';

interface ArchivableTableProps<T> extends Omit<DataTableProps<T>, 'load' | 'empty' | 'controls'> {
  readonly isArchived: boolean;
  readonly onSearch: (search: ArchivedSearch) => void;
  readonly load: (query: {
    readonly archived: boolean;
    readonly cursor: string | undefined;
    readonly limit: number;
  }) => ReturnType<DataTableProps<T>['load']>;
  /** Where nothing is in use: what is none, what it would be good for, and the way to make one. */
  readonly none: string;
  readonly noneHint: string;
  readonly create: ReactNode;
}

export function ArchivableTable<T>(props: ArchivableTableProps<T>) {
  const { isArchived, onSearch, load, none, noneHint, create, queryKey, ...table } = props;
  const texts = useTexts().table;
  return (
    <DataTable
      {...table}
      queryKey={[...queryKey, isArchived ? 'archived' : 'live']}
      load={cursor => load({ archived: isArchived, cursor, limit: 50 })}
      empty={
        isArchived ? (
          texts.noneArchived
        ) : (
          <>
            <b>{none}</b>
            {noneHint}
            {create}
          </>
        )
      }
      controls={
        <SwitchFilter
          label={texts.archived}
          isOn={isArchived}
          onChange={isOn => onSearch(toArchived(isOn))}
        />
      }
    />
  );
}
