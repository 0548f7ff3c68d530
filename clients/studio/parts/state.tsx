/** A state in a word, by a colour and a mark that do not depend on each other. */
import { Badge } from '@mantine/core';

const colors = {
  active: 'green',
  connected: 'green',
  delivered: 'green',
  read: 'green',
  succeeded: 'green',
  rotating: 'yellow',
  connecting: 'yellow',
  pending: 'gray',
  queued: 'gray',
  sent: 'blue',
  delivering: 'blue',
  running: 'blue',
  retrying: 'yellow',
  disconnected: 'gray',
  disabled: 'gray',
  revoked: 'gray',
  cancelled: 'gray',
  error: 'red',
  failed: 'red',
} as const;

export type StateName = keyof typeof colors;

export function State({ of, label }: { readonly of: StateName; readonly label: string }) {
  return (
    <Badge color={colors[of]} data-state={of}>
      {label}
    </Badge>
  );
}
