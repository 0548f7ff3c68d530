/** An instant: to the minute, and to the second for whoever points at it, or where it matters. */
import { useFormats } from '../../kit/use-formats.ts';

interface TimeProps {
  readonly at: string | null | undefined;
  /** Said where there is none. */
  readonly none?: string;
  readonly isExact?: true;
}

export function Time({ at, none = '–', isExact }: TimeProps) {
  const formats = useFormats();
  if (at == null) return none;
  return (
    <time dateTime={at} title={formats.dateTime(at)}>
      {isExact === true ? formats.dateTime(at) : formats.dateAndTime(at)}
    </time>
  );
}
