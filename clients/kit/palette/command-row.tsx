/** A command among what a palette has found. */
import { Kbd } from '@mantine/core';
import type { LucideIcon } from 'lucide-react';
import classes from './palette.module.css';

interface CommandRowProps {
  readonly Icon: LucideIcon;
  readonly label: string;
  /** That do the same. */
  readonly keys?: string | undefined;
}

export function CommandRow({ Icon, label, keys }: CommandRowProps) {
  return (
    <>
      <Icon size={15} strokeWidth={1.7} aria-hidden />
      <span className={classes['name']}>{label}</span>
      {keys !== undefined && <Kbd size="xs">{keys}</Kbd>}
    </>
  );
}
