/** A person as two letters on their colour. */
import { toInitials } from './initials.ts';
import classes from './face.module.css';

export const faceColors = [
  'gray',
  'red',
  'pink',
  'grape',
  'violet',
  'indigo',
  'blue',
  'cyan',
  'teal',
  'green',
  'lime',
  'yellow',
  'orange',
] as const;

interface FaceProps {
  /** Of the user, or whatever else tells a person from others. */
  readonly userId: string;
  readonly name: string;
  /** Whoever has chosen none gets one by their id. */
  readonly color: string | null | undefined;
  /** What it says; without, it is an ornament beside the name. */
  readonly title?: string;
  readonly isTyping?: boolean;
  /** In pixels. Default 18. */
  readonly size?: number;
}

export function Face({ userId, name, color, title, isTyping = false, size = 18 }: FaceProps) {
  return (
    <span
      className={classes['face']}
      data-color={color ?? chooseColor(userId)}
      data-initials={toInitials(name)}
      data-typing={isTyping || undefined}
      style={{ width: size, height: size, fontSize: Math.round(size * 0.4) }}
      {...(title === undefined ? { 'aria-hidden': true } : { role: 'img', title, 'aria-label': title })}
    />
  );
}

/** All of an id counts: those that others have given may begin or end alike. */
function chooseColor(id: string): string {
  let hash = 0;
  for (const character of id) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return faceColors[1 + (hash % (faceColors.length - 1))] ?? 'blue';
}
