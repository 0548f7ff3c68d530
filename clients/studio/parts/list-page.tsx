/**
 * A page with the list of what is made on it. The way to make one is above the list, and in its place where there is none. With `archive`, a
 * switch shows what was archived instead, and its state stands in the address.
 */
import { Button } from '@mantine/core';
import { Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/index.ts';
import { type ArchivedSearch, toArchived } from './archived-search.ts';
import { DataTable, type DataTableProps } from './data-table.tsx';
import { SwitchFilter } from './filters.tsx';
import { Page } from './page.tsx';

interface ListQuery {
  readonly cursor: string | undefined;
  readonly limit: number;
  readonly archived?: boolean;
}

interface ListPageProps<T> extends Pick<DataTableProps<T>, 'name' | 'queryKey' | 'rowKey' | 'columns'> {
  readonly texts: {
    readonly title: string;
    readonly about: string;
    readonly create: string;
    /** Where there is none, and what one would be good for. */
    readonly none: string;
    readonly noneHint: string;
  };
  readonly load: (query: ListQuery) => ReturnType<DataTableProps<T>['load']>;
  /** Undefined: its reader may not. */
  readonly onCreate: (() => void) | undefined;
  /** Where it can be archived. */
  readonly archive?: {
    readonly isShown: boolean;
    readonly onChange: (search: ArchivedSearch) => void;
  };
  /** What else can be done, before the way to make one. */
  readonly actions?: ReactNode;
  /** Above the list. */
  readonly notice?: ReactNode;
  /** Below the list, and dialogs. */
  readonly children: ReactNode;
}

const pageSize = 50;

export function ListPage<T>(props: ListPageProps<T>) {
  const { texts, load, onCreate, archive, actions, notice, children, queryKey, ...table } = props;
  const shared = useTexts().table;
  const { title, about, none, noneHint } = texts;
  const isArchived = archive?.isShown === true;
  const create = onCreate !== undefined && (
    <Button leftSection={<Plus size={14} />} onClick={onCreate}>
      {texts.create}
    </Button>
  );
  return (
    <Page
      title={title}
      about={about}
      actions={
        <>
          {actions}
          {create}
        </>
      }
    >
      {notice}
      <DataTable
        {...table}
        label={title}
        queryKey={archive === undefined ? queryKey : [...queryKey, isArchived ? 'archived' : 'live']}
        load={cursor => load({ cursor, limit: pageSize, ...(archive && { archived: isArchived }) })}
        empty={
          isArchived ? (
            shared.noneArchived
          ) : (
            <>
              <b>{none}</b>
              {noneHint}
              {create}
            </>
          )
        }
        controls={
          archive && (
            <SwitchFilter
              label={shared.archived}
              isOn={isArchived}
              onChange={isOn => archive.onChange(toArchived(isOn))}
            />
          )
        }
      />
      {children}
    </Page>
  );
}
