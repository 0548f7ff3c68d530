/** Somebody by name, with their letters on their colour. */
import { Text } from '@mantine/core';
import { Face } from '../../kit/people/face.tsx';
import { toReadableName } from '../../kit/people/readable-name.ts';
import classes from './person.module.css';

interface PersonProps {
  readonly userId: string;
  readonly displayName: string;
  readonly avatarColor: string | null;
  readonly note?: string | undefined;
}

export function Person({ userId, displayName, avatarColor, note }: PersonProps) {
  const name = toReadableName(displayName);
  return (
    <span className={classes['person']}>
      <Face userId={userId} name={name} color={avatarColor} size={22} />
      <bdi>{name}</bdi>
      {note !== undefined && (
        <Text component="span" size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </span>
  );
}
