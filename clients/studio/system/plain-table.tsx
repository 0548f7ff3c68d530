/** A short table that is whole. What has no room is reached by scrolling. */
import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './system.module.css';

export interface PlainColumn<T> {
  readonly label: string;
  readonly show: (row: T) => ReactNode;
  readonly isNumber?: true;
}

interface PlainTableProps<T> {
  readonly label: string;
  readonly columns: readonly PlainColumn<T>[];
  readonly rows: readonly T[];
  readonly rowKey: (row: T) => string;
  /** Below it the table scrolls. */
  readonly minWidth?: number;
}

export function PlainTable<T>({ label, columns, rows, rowKey, minWidth = 420 }: PlainTableProps<T>) {
  return (
    <Table.ScrollContainer minWidth={minWidth} type="native" tabIndex={0} role="group" aria-label={label}>
      <Table aria-label={label} className={classes['table']}>
        <Table.Thead>
          <Table.Tr>
            {columns.map(column => (
              <Table.Th key={column.label} ta={column.isNumber && 'right'}>
                {column.label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(row => (
            <Table.Tr key={rowKey(row)}>
              {columns.map(column => (
                <Table.Td key={column.label} ta={column.isNumber && 'right'}>
                  {column.show(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
