/** Profiles: how a user is shown to others, and what they have set for the Console. */
import { LockMode } from '@mikro-orm/core';
import {
  maxSavedFilters,
  maxSavedFiltersOfUser,
  type Profile,
  type SavedFilterChanges,
  type SavedFilters,
} from '../../protocol/resources/index.ts';
import type { Database, Queries } from '../database/index.ts';
import { selectDisplayName, User, type UserSettings } from '../entities/index.ts';

type Settings = Pick<Profile, 'theme' | 'language' | 'timeZone'> & {
  readonly notifications: Partial<Profile['notifications']>;
};

/** What is absent stays. */
export interface ProfileChanges extends Partial<Settings> {
  /** By project and name; null removes one. */
  readonly savedFilters?: SavedFilterChanges;
  /** Null: the beginning of the address. */
  readonly displayName?: string | null;
  readonly avatarColor?: Profile['avatarColor'];
}

interface ProfileRow extends Pick<Profile, 'userId' | 'email' | 'displayName' | 'avatarColor'> {
  readonly settings: UserSettings | null;
}

/** What holds until the user has set something. */
const defaults = {
  notifications: { title: true, sound: false, browser: false, showText: false, about: 'unassigned' },
  theme: 'auto',
  language: null,
  timeZone: null,
  savedFilters: {},
} as const satisfies Required<UserSettings>;

const select = `select u.user_id as "userId", u.email, ${selectDisplayName} as "displayName", u.avatar_color as "avatarColor", u.settings
  from users u where u.user_id = $1`;

/** Undefined where there is no such user. */
export async function findProfile(db: Queries, userId: string): Promise<Profile | undefined> {
  const [row] = await db.query<ProfileRow>(select, [userId], 'users.profile');
  if (row === undefined) return undefined;
  const { settings, ...shown } = row;
  // What was kept before there were more of them has those that there were.
  const notifications = { ...defaults.notifications, ...settings?.notifications };
  return { ...shown, ...defaults, ...settings, notifications };
}

/** Of several changes of one user, each waits for the one before: none is lost. Undefined where there is no such user. */
export async function updateProfile(
  db: Pick<Database, 'em' | 'query'>,
  userId: string,
  { displayName, avatarColor, ...settings }: ProfileChanges,
  now: number,
): Promise<Profile | undefined> {
  await db.em().transactional(async em => {
    const row = await em.findOne(User, { userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (row === null) return;
    if (displayName !== undefined) row.displayName = displayName;
    if (avatarColor !== undefined) row.avatarColor = avatarColor;
    row.settings = mergeSettings(row.settings ?? {}, settings);
    row.updatedAt = new Date(now);
  });
  return findProfile(db, userId);
}

/** A user has kept as many filters as one may have. */
export class TooManySavedFilters extends Error {}

/** Each filter is replaced as a whole. */
function mergeFilters(present: SavedFilters, changes: SavedFilterChanges): SavedFilters {
  const projects = new Map(Object.entries(present));
  for (const [projectId, changed] of Object.entries(changes)) {
    const named = new Map(Object.entries({ ...projects.get(projectId), ...changed }));
    const kept = [...named].flatMap(([name, filter]) => (filter === null ? [] : [[name, filter] as const]));
    if (kept.length > maxSavedFilters) throw new TooManySavedFilters();
    if (kept.length > 0) projects.set(projectId, Object.fromEntries(kept));
    else projects.delete(projectId);
  }
  const count = Array.from(projects.values()).reduce((sum, named) => sum + Object.keys(named).length, 0);
  if (count > maxSavedFiltersOfUser) throw new TooManySavedFilters();
  return Object.fromEntries(projects);
}

function mergeSettings(
  present: UserSettings,
  { notifications, savedFilters, ...changes }: Omit<ProfileChanges, 'displayName' | 'avatarColor'>,
): UserSettings {
  const merged = {
    ...present,
    ...changes,
    ...(savedFilters === undefined
      ? {}
      : { savedFilters: mergeFilters(present.savedFilters ?? {}, savedFilters) }),
  };
  if (notifications === undefined) return merged;
  return {
    ...merged,
    notifications: { ...defaults.notifications, ...present.notifications, ...notifications },
  };
}
