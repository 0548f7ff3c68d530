/** How a user is shown to others, and how the user wants to see things. */
import Type from 'typebox';
import type { Static } from 'typebox';
import { body, choice, id, nullable, optional, resource, text } from './fields.ts';
import { SavedFilterChanges, SavedFilters } from './saved-filter.ts';

/** Names of colours, not values: clients have a shade of each for dark and light. */
export const avatarColors = [
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
export type AvatarColor = (typeof avatarColors)[number];

export const themes = ['auto', 'light', 'dark'] as const;

/** The longest display name, in code points. */
export const maxDisplayName = 80;

/** Which threads a user hears of: their own, also those of nobody, or all. */
export const noticeScopes = ['mine', 'unassigned', 'all'] as const;

/**
 * Which signs a client gives of what happens, and of what; `title`: a number in the title of the page; `showText`: whether a notification may
 * show what somebody wrote.
 */
const notifications = {
  title: Type.Boolean(),
  sound: Type.Boolean(),
  browser: Type.Boolean(),
  showText: Type.Boolean(),
  about: choice(noticeScopes),
};

/** A BCP 47 language tag, as `de` or `pt-BR`. */
const language = (): ReturnType<typeof Type.String> =>
  Type.String({ pattern: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,7}$', maxLength: 64 });

/** A name of spaces alone would show nothing. */
const name = (): ReturnType<typeof Type.String> =>
  Type.String({ minLength: 1, maxLength: maxDisplayName, pattern: '\\S' });

/** Of the signed-in user. `avatarColor`, `language` and `timeZone` are null where the client is to choose. */
export const Profile = resource('Profile', {
  userId: id('user'),
  email: Type.String(),
  displayName: Type.String(),
  avatarColor: nullable(choice(avatarColors)),
  notifications: Type.Object(notifications),
  theme: choice(themes),
  language: nullable(Type.String()),
  timeZone: nullable(Type.String()),
  savedFilters: SavedFilters,
});
export type Profile = Static<typeof Profile>;

/** What is absent stays. `displayName: null` is the beginning of the e-mail address again. `timeZone` is a name of IANA, as `Europe/Berlin`. */
export const UpdateProfileBody = body('UpdateProfileBody', {
  displayName: optional(nullable(name())),
  avatarColor: optional(nullable(choice(avatarColors))),
  notifications: optional(
    Type.Object(
      {
        title: optional(Type.Boolean()),
        sound: optional(Type.Boolean()),
        browser: optional(Type.Boolean()),
        showText: optional(Type.Boolean()),
        about: optional(choice(noticeScopes)),
      },
      { additionalProperties: false },
    ),
  ),
  theme: optional(choice(themes)),
  language: optional(nullable(language())),
  timeZone: optional(nullable(text(1, 64))),
  savedFilters: SavedFilterChanges,
});
export type UpdateProfileBody = Static<typeof UpdateProfileBody>;
