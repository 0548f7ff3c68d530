/** What can be done with one row of a list, behind three dots, so that rows stay narrow. */
import { ActionIcon, Menu } from '@mantine/core';
import { Ellipsis } from 'lucide-react';

export interface RowAct {
  readonly label: string;
  /** Takes something away. */
  readonly isDanger?: boolean;
  readonly onChoose: () => void;
}

export function RowMenu({ label, acts }: { readonly label: string; readonly acts: readonly RowAct[] }) {
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <ActionIcon aria-label={label}>
          <Ellipsis size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {acts.map(({ label: name, isDanger = false, onChoose }) => (
          <Menu.Item key={name} {...(isDanger && { c: 'var(--mantine-color-error)' })} onClick={onChoose}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
