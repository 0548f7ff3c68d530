/** A colleague as two letters on their colour. */
import { toInitials } from '../list/initials.ts';
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
      style={{ width: size, height: size, fontSize: Math.round(size * 0.45) }}
      {...(title === undefined ? { 'aria-hidden': true } : { role: 'img', title, 'aria-label': title })}
    />
  );
}

/** Ids end at random. */
const chooseColor = (userId: string): string =>
  faceColors[1 + (userId.charCodeAt(userId.length - 1) % (faceColors.length - 1))] ?? 'blue';
