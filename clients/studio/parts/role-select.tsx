/** The role of somebody, which takes effect when it is chosen; what the server refuses is said below it. */
import { Select } from '@mantine/core';
import { useAction } from '../../kit/use-action.ts';
import { ErrorNote } from './error-note.tsx';

interface RoleSelectProps<R extends string> {
  readonly label: string;
  /** Only shown. */
  readonly isFixed: boolean;
  readonly role: R | undefined;
  readonly roles: readonly Extract<R, string>[];
  readonly labels: Readonly<Record<R, string>>;
  /** Says that there is none; where there may be none. */
  readonly none?: string;
  readonly onChange: (role: R) => Promise<unknown>;
  readonly onNone?: () => Promise<unknown>;
}

export function RoleSelect<R extends string>(props: RoleSelectProps<R>) {
  const { label, isFixed, role, roles, labels, none = '–', onChange, onNone } = props;
  const action = useAction();
  if (isFixed) return role === undefined ? none : labels[role];
  const choose = (value: string | null): void => {
    const chosen = roles.find(each => each === value);
    if (chosen === role) return;
    if (chosen !== undefined) void action.run(() => onChange(chosen));
    else if (onNone !== undefined) void action.run(onNone);
  };
  return (
    <>
      <Select
        size="xs"
        w={150}
        aria-label={label}
        allowDeselect={false}
        disabled={action.isRunning}
        value={role ?? 'none'}
        onChange={choose}
        data={[
          ...roles.map(value => ({ value: value as string, label: labels[value] })),
          ...(onNone === undefined ? [] : [{ value: 'none', label: none }]),
        ]}
      />
      <ErrorNote error={action.error} />
    </>
  );
}
