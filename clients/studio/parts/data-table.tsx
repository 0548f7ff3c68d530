/**
 * A list of the API as a table: page after page as its reader asks for more, with the columns that they have chosen. What is empty says what
 * to do next, and while only the beginning was looked through, that; what cannot be read says why.
 */
import { ActionIcon, Button, Checkbox, Popover, Stack, Table, VisuallyHidden } from '@mantine/core';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { Columns3 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { keepText } from '../../kit/keep-text.ts';
import { useKitTexts } from '../../kit/texts/index.ts';
import type { Page } from '../../sdk/index.ts';
import { useTexts } from '../texts/index.ts';
import { ErrorNote } from './error-note.tsx';
import { type Pages, renewPages } from './renew-pages.ts';
import classes from './data-table.module.css';

export interface Column<T> {
  readonly key: string;
  /** Empty for what can be done. */
  readonly label: string;
  readonly show: (row: T) => ReactNode;
  /** Not shown until its reader wants it. */
  readonly isExtra?: true;
  /** Always shown: what the row is known by. */
  readonly isFixed?: true;
  readonly align?: 'right';
}

export interface DataTableProps<T> {
  /** Under which the chosen columns are kept in this browser. */
  readonly name: string;
  readonly label: string;
  readonly queryKey: readonly unknown[];
  readonly load: (cursor: string | undefined) => PromiseLike<Page<T>>;
  readonly rowKey: (row: T) => string;
  readonly columns: readonly Column<T>[];
  readonly empty: ReactNode;
  /** Reads the first page again so often, in milliseconds. */
  readonly refreshMs?: number | undefined;
  /** Beside the choice of columns: filters. */
  readonly controls?: ReactNode;
}

export function DataTable<T>(props: DataTableProps<T>) {
  const { name, label, rowKey, columns, empty, controls } = props;
  const texts = useTexts().table;
  const { loading } = useKitTexts().shell;
  const { shown, choose } = useColumns(name, columns);
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = usePages(props);
  const rows = data?.pages.flatMap(page => page.data) ?? [];
  const isEmpty = !isPending && error === null && rows.length === 0;
  return (
    <div>
      <div className={classes['controls']} hidden={controls === undefined && isEmpty}>
        <div className={classes['filters']}>{controls}</div>
        {columns.some(({ isFixed }) => isFixed !== true) && !isEmpty && (
          <ColumnChoice columns={columns} shown={shown} onChange={choose} />
        )}
      </div>
      {error !== null && <ErrorNote error={error} />}
      {isPending && (
        <p className={classes['note']} role="status">
          {loading}
        </p>
      )}
      {isEmpty && <div className={classes['empty']}>{hasNextPage ? texts.noneYet : empty}</div>}
      {rows.length > 0 && (
        <Table.ScrollContainer
          className={classes['scroll']}
          minWidth={480}
          type="native"
          tabIndex={0}
          role="group"
          aria-label={label}
        >
          <Table aria-label={label} className={classes['table']}>
            <Table.Thead>
              <Table.Tr>
                {shown.map(({ key, label: title, align }) => (
                  <Table.Th key={key} ta={align}>
                    {title === '' ? <VisuallyHidden>{texts.actions}</VisuallyHidden> : title}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map(row => (
                <Table.Tr key={rowKey(row)}>
                  {shown.map(({ key, show, align }) => (
                    <Table.Td key={key} ta={align}>
                      {show(row)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {hasNextPage && (
        <Button mt="sm" variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {texts.more}
        </Button>
      )}
    </div>
  );
}

/** Page after page; the first one again so often, and no other: whoever has loaded many asks for no more than others do. */
function usePages<T>({ queryKey, load, rowKey, refreshMs }: DataTableProps<T>) {
  const queries = useQueryClient();
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam }) => load(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => (page.hasMore ? (page.nextCursor ?? undefined) : undefined),
  });
  const isLive = refreshMs !== undefined && data !== undefined;
  const { error: renewalError } = useQuery({
    queryKey: ['first-page', ...queryKey],
    queryFn: async () => {
      const fresh = await load(undefined);
      queries.setQueryData<Pages<T>>(queryKey, before => before && renewPages(before, fresh, rowKey));
      return true;
    },
    enabled: isLive,
    // The list itself has just been read.
    initialData: true,
    staleTime: Infinity,
    refetchInterval: refreshMs ?? false,
  });
  return {
    data,
    error: error ?? (isLive ? renewalError : null),
    isPending,
    hasNextPage,
    isFetchingNextPage,
    fetchNextPage,
  };
}

/** The columns in their order, and how others are chosen. */
function useColumns<T>(name: string, columns: readonly Column<T>[]) {
  const storageKey = `skein-columns-${name}`;
  const [chosen, setChosen] = useState(
    () =>
      localStorage.getItem(storageKey)?.split(',') ??
      columns.flatMap(each => (each.isExtra ? [] : [each.key])),
  );
  const choose = (keys: string[]): void => {
    keepText(localStorage, storageKey, keys.join(','));
    setChosen(keys);
  };
  const shown = columns.filter(({ key, isFixed }) => isFixed === true || chosen.includes(key));
  return { shown, choose };
}

interface ColumnChoiceProps<T> {
  readonly columns: readonly Column<T>[];
  readonly shown: readonly Column<T>[];
  readonly onChange: (keys: string[]) => void;
}

function ColumnChoice<T>({ columns, shown, onChange }: ColumnChoiceProps<T>) {
  const texts = useTexts().table;
  const named = columns.filter(({ label }) => label !== '');
  return (
    <Popover position="bottom-end" shadow="md" trapFocus>
      <Popover.Target>
        <ActionIcon aria-label={texts.columns}>
          <Columns3 size={16} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <Checkbox.Group value={shown.map(({ key }) => key)} onChange={onChange} aria-label={texts.columns}>
          <Stack gap={6}>
            {named.map(({ key, label, isFixed }) => (
              <Checkbox key={key} size="xs" value={key} label={label} disabled={isFixed === true} />
            ))}
          </Stack>
        </Checkbox.Group>
      </Popover.Dropdown>
    </Popover>
  );
}
