/** The field by which another environment is chosen. */
import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './environment-select.module.css';

export interface EnvironmentFieldProps {
  readonly label: string;
  readonly chevron: ReactNode;
  readonly value: string;
  readonly data: readonly { readonly value: string; readonly label: string }[];
  readonly onChosen: (value: string | null) => void;
}

/** So many are looked through at a glance. */
const mostAtAGlance = 8;

export default function EnvironmentField({ label, chevron, value, data, onChosen }: EnvironmentFieldProps) {
  return (
    <Select
      size="xs"
      aria-label={label}
      allowDeselect={false}
      scrollAreaProps={{ scrollbars: 'y' }}
      classNames={{ option: classes['option'], section: classes['section'] }}
      rightSection={chevron}
      rightSectionPointerEvents="none"
      searchable={data.length > mostAtAGlance}
      value={value}
      data={data}
      onChange={onChosen}
    />
  );
}
