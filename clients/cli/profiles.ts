/** The profiles: which server, whose key, whose sign-in. One file for all, `profiles.json`, for its owner alone. */
import { join } from 'node:path';
import { CliError, exitCodes } from './failures.ts';
import { withFileLock } from './file-lock.ts';
import { followLinks, getConfigFolder, readPrivateFile, writePrivateFile } from './files.ts';

/** A session of a person. */
export interface SignIn {
  readonly email: string;
  readonly accessToken: string;
  /** When the access token ends, in epoch milliseconds. */
  readonly expiresAt: number;
  /** `name=value`, for the next access token. Each can be used once. */
  readonly refreshCookie: string;
}

export interface Profile {
  readonly baseUrl: string;
  readonly projectId?: string | undefined;
  readonly environmentId?: string | undefined;
  readonly apiKey?: string | undefined;
  /** Of a key that `login` made, which `logout` revokes. */
  readonly apiKeyId?: string | undefined;
  readonly signIn?: SignIn | undefined;
}

export interface Profiles {
  /** The name of the one that commands use. */
  readonly current: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

export const defaultProfile = 'default';
const none: Profiles = { current: defaultProfile, profiles: {} };

/** @throws {CliError} there is no home */
export function getProfilesFile(): string {
  return join(getConfigFolder(), 'profiles.json');
}

/** @throws {CliError} the file may be read by others, or is damaged */
export async function readProfiles(): Promise<Profiles> {
  const path = getProfilesFile();
  const text = await readPrivateFile(path);
  if (text === undefined) return none;
  const profiles = parseProfiles(text);
  if (profiles !== undefined) return profiles;
  throw new CliError(`${path} is damaged.`, undefined, 'Delete it, and run `skein login`.');
}

/** undefined where it is none of ours: people edit the file. */
function parseProfiles(text: string): Profiles | undefined {
  try {
    const { current = defaultProfile, profiles } = JSON.parse(text) as Profiles;
    const isOurs = Object.values(profiles).every(
      ({ baseUrl }) => /^https?:/.test(baseUrl) && URL.canParse(baseUrl),
    );
    return isOurs && typeof current === 'string' ? { current, profiles } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Changes them while no other command does.
 *
 * @param change gives the new ones; it may take its time, since nobody else can use a refresh cookie meanwhile
 */
export async function updateProfiles(
  change: (profiles: Profiles) => Profiles | Promise<Profiles>,
): Promise<void> {
  // One that is kept elsewhere stays a link: a copy would keep a refresh cookie that is used up.
  const path = await followLinks(getProfilesFile());
  await withFileLock(`${path}.lock`, async () => {
    const changed = await change(await readProfiles());
    await writePrivateFile(path, `${JSON.stringify(changed, undefined, 2)}\n`);
  });
}

/** Adds it, or replaces the one of that name. */
export function saveProfile(name: string, profile: Profile, isCurrent: boolean): Promise<void> {
  return updateProfiles(({ current, profiles }) => ({
    current: isCurrent ? name : current,
    profiles: { ...profiles, [name]: profile },
  }));
}

/** The next current one is the first that is left. */
export function removeProfile(name: string): Promise<void> {
  return updateProfiles(({ current, profiles }) => {
    const { [name]: _removed, ...rest } = profiles;
    return { current: current === name ? (Object.keys(rest)[0] ?? defaultProfile) : current, profiles: rest };
  });
}

/** @throws {CliError} there is none of that name */
export function getProfile({ profiles }: Profiles, name: string): Profile {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile !== undefined) return profile;
  const names = Object.keys(profiles);
  const known =
    names.length === 0 ? 'There is none yet: `skein login` makes one.' : `There are: ${names.join(', ')}.`;
  throw new CliError(`There is no profile ${name}.`, exitCodes.usage, known);
}
