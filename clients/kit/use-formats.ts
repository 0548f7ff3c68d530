import { useMemo } from 'react';
import { createFormats, type Formats } from './formats.ts';
import { useTimeZone } from './people/use-profile.ts';
import { useLanguageTag } from './texts/index.ts';

export function useFormats(): Formats {
  const tag = useLanguageTag();
  const timeZone = useTimeZone();
  return useMemo(
    // The reader's own region, which decides between 14:05 and 2:05 pm.
    () => createFormats(navigator.languages.find(each => each.startsWith(tag)) ?? tag, { timeZone }),
    [tag, timeZone],
  );
}
