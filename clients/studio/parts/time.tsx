/** An instant: how long ago, and when to the second for whoever points at it. */
import { useFormats } from '../../kit/use-formats.ts';

export function Time({ at, none = '–' }: { readonly at: string | null | undefined; readonly none?: string }) {
  const formats = useFormats();
  if (at == null) return none;
  return (
    <time dateTime={at} title={formats.dateTime(at)}>
      {formats.dateAndTime(at)}
    </time>
  );
}
