/** The user's own profile: their name and colour, and what they have set, which follows them to every browser. */
import { useMantineColorScheme } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo } from 'react';
import { skein } from '../browser-session.ts';
import { chooseLanguage } from '../texts/create-texts.tsx';
import type { Profile, UpdateProfileBody } from '../../sdk/index.ts';
import { useLanguageTag } from '../texts/index.ts';

const queryKey = ['profile'];

/** The languages of the apps, in their own words. */
export const languages = { en: 'English', de: 'Deutsch' };

export function useProfile(): {
  readonly profile: Profile | undefined;
  /** Rejects where the server refuses it. */
  readonly change: (changed: UpdateProfileBody) => Promise<void>;
} {
  const queries = useQueryClient();
  const { data: profile } = useQuery({
    queryKey,
    queryFn: () => skein.profile.get(),
    staleTime: Infinity,
    // It may have been changed in another browser.
    refetchOnWindowFocus: 'always',
  });
  const change = useCallback(
    async (changed: UpdateProfileBody): Promise<void> => {
      queries.setQueryData(queryKey, await skein.profile.update(changed));
      await queries.invalidateQueries({ queryKey: ['colleagues'] });
    },
    [queries],
  );
  return { profile, change };
}

/** In which the user reads times; undefined: the browser's. */
export function useTimeZone(): string | undefined {
  const timeZone = useProfile().profile?.timeZone ?? undefined;
  return useMemo(() => (timeZone !== undefined && isKnownZone(timeZone) ? timeZone : undefined), [timeZone]);
}

/** The server may know zones that an older browser does not. */
function isKnownZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}

/** The theme, here at once, and in every browser from its next page on. Where the server cannot be reached, it stays here. */
export function useTheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { change } = useProfile();
  const setTheme = useCallback(
    (theme: Profile['theme']): void => {
      setColorScheme(theme);
      void change({ theme }).catch(() => undefined);
    },
    [setColorScheme, change],
  );
  return { theme: colorScheme, setTheme };
}

/** The language: the page is loaded again in it. */
export function useSetLanguage(): (language: string) => void {
  const { change } = useProfile();
  return useCallback(
    (language: string): void =>
      void change({ language })
        .catch(() => undefined)
        .then(() => chooseLanguage(language)),
    [change],
  );
}

/** Brings what was set elsewhere into this browser, which keeps it for its next page. */
export function ProfileSettings(): null {
  const { profile } = useProfile();
  const { setColorScheme } = useMantineColorScheme();
  const tag = useLanguageTag();
  const { theme, language } = profile ?? {};
  useEffect(() => {
    if (theme !== undefined) setColorScheme(theme);
  }, [theme, setColorScheme]);
  useEffect(() => {
    const wanted = language?.split('-')[0] ?? tag;
    if (wanted !== tag && wanted in languages) chooseLanguage(wanted);
  }, [language, tag]);
  return null;
}
