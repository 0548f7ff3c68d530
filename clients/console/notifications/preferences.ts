/** How an operator wants to hear of what happens while they look elsewhere. Kept in their profile, and by the browser, which has them at once and gives the permission. */
import { keepText } from '../../kit/keep-text.ts';
import type { Profile } from '../../sdk/index.ts';

export interface NotificationPreferences {
  /** The number of conversations with something new, in the title of the page. */
  readonly title: boolean;
  /** Notifications of the browser. */
  readonly desktop: boolean;
  readonly sound: boolean;
  /** What was written, in notifications: whoever stands behind the operator reads it, too. */
  readonly showsText: boolean;
  /** Which conversations are meant. */
  readonly about: 'mine' | 'unassigned' | 'all';
}

export const defaultPreferences: NotificationPreferences = {
  title: true,
  desktop: false,
  sound: false,
  showsText: false,
  about: 'unassigned',
};

/** What the profile says. */
export function toPreferences({
  browser: desktop,
  showText: showsText,
  title,
  sound,
  about,
}: Profile['notifications']): NotificationPreferences {
  return { title, desktop, sound, showsText, about };
}

const abouts: readonly unknown[] = ['mine', 'unassigned', 'all'] satisfies NotificationPreferences['about'][];

/** @param kept what was kept, by whatever version of the page; what cannot be read is as it was in the beginning */
export function parsePreferences(kept: string | null): NotificationPreferences {
  let given: unknown;
  try {
    given = JSON.parse(kept ?? '{}');
  } catch {
    return defaultPreferences;
  }
  if (typeof given !== 'object' || given === null) return defaultPreferences;
  const values = given as Readonly<Record<string, unknown>>;
  const flag = (name: 'title' | 'desktop' | 'sound' | 'showsText'): boolean => {
    const value = values[name];
    return typeof value === 'boolean' ? value : defaultPreferences[name];
  };
  const { about } = values;
  return {
    title: flag('title'),
    desktop: flag('desktop'),
    sound: flag('sound'),
    showsText: flag('showsText'),
    about: abouts.includes(about) ? (about as NotificationPreferences['about']) : defaultPreferences.about,
  };
}

/** The browser's, or that of a test. */
interface KeptTexts {
  getItem(key: string): string | null;
  setItem(key: string, text: string): void;
}

const toKey = (userId: string): string => `skein-notifications:${userId}`;

export function readPreferences(
  storage: Pick<KeptTexts, 'getItem'>,
  userId: string,
): NotificationPreferences {
  return parsePreferences(storage.getItem(toKey(userId)));
}

export function keepPreferences(
  storage: Pick<KeptTexts, 'setItem'>,
  userId: string,
  preferences: NotificationPreferences,
): void {
  keepText(storage, toKey(userId), JSON.stringify(preferences));
}
