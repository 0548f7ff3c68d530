/**
 * Which credential a command uses: that of `--profile`; else `SKEIN_API_KEY`; else that of the current profile. What a profile has goes to the
 * profile's server and to no other, whatever `--base-url` and `SKEIN_BASE_URL` say; `SKEIN_API_KEY` goes wherever they say.
 */
import { CliError, exitCodes } from './failures.ts';
import { defaultProfile, getProfile, readProfiles, type Profile } from './profiles.ts';

/** The options of every command that say for whom it is. */
export interface CredentialOptions {
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly project?: string | undefined;
  readonly environment?: string | undefined;
}

export interface Credential {
  readonly baseUrl: string;
  readonly projectId: string | undefined;
  readonly environmentId: string | undefined;
  readonly apiKey: string | undefined;
  /** Where it comes from; undefined where there is none. */
  readonly source: 'environment' | 'profile' | undefined;
  readonly profileName: string;
  /** Whether the profile has a sign-in. */
  readonly isSignedIn: boolean;
  /** The profile's server, where another is asked: the profile's credentials are left out then. */
  readonly boundTo?: string | undefined;
}

export const defaultBaseUrl = 'http://127.0.0.1:8080';

type Environment = Readonly<Record<string, string | undefined>>;

export async function findCredential(
  options: CredentialOptions,
  environment: Environment = process.env,
): Promise<Credential> {
  const apiKey = readVariable(environment, 'SKEIN_API_KEY');
  if (options.profile === undefined && apiKey !== undefined)
    return createFromEnvironment(options, environment, apiKey);
  const { profile, name } = await findProfile(options.profile);
  // Whoever names a profile means its server, whatever the variable says.
  const named = options.profile === undefined ? readVariable(environment, 'SKEIN_BASE_URL') : undefined;
  const baseUrl = checkAddress(options.baseUrl ?? named ?? profile?.baseUrl ?? defaultBaseUrl);
  const boundTo =
    profile === undefined || isSameServer(profile.baseUrl, baseUrl) ? undefined : profile.baseUrl;
  return {
    baseUrl,
    projectId: options.project ?? profile?.projectId,
    environmentId: options.environment ?? profile?.environmentId,
    apiKey: boundTo === undefined ? profile?.apiKey : undefined,
    source: profile === undefined ? undefined : 'profile',
    profileName: name,
    isSignedIn: boundTo === undefined && profile?.signIn !== undefined,
    boundTo,
  };
}

/** Whether what one of them may know, the other may. */
export function isSameServer(one: string, other: string): boolean {
  return new URL(one).origin === new URL(other).origin;
}

/** @throws {CliError} it is none of a server */
export function checkAddress(baseUrl: string): string {
  if (/^https?:\/\//.test(baseUrl) && URL.canParse(baseUrl)) return baseUrl;
  throw new CliError(`${baseUrl} is no address.`, exitCodes.usage, 'Write it as http://127.0.0.1:8080.');
}

function createFromEnvironment(
  options: CredentialOptions,
  environment: Environment,
  apiKey: string,
): Credential {
  return {
    baseUrl: checkAddress(options.baseUrl ?? readVariable(environment, 'SKEIN_BASE_URL') ?? defaultBaseUrl),
    projectId: options.project ?? readVariable(environment, 'SKEIN_PROJECT_ID'),
    environmentId: options.environment ?? readVariable(environment, 'SKEIN_ENVIRONMENT_ID'),
    apiKey,
    source: 'environment',
    profileName: defaultProfile,
    isSignedIn: false,
  };
}

/** The one that was asked for has to be there, the current one need not. */
async function findProfile(
  asked: string | undefined,
): Promise<{ readonly name: string; readonly profile: Profile | undefined }> {
  const all = await readProfiles();
  if (asked !== undefined) return { name: asked, profile: getProfile(all, asked) };
  const { current, profiles } = all;
  return { name: current, profile: profiles[current] };
}

/** An empty one is none. */
export function readVariable(environment: Environment, name: string): string | undefined {
  const value = environment[name]?.trim();
  return value === '' ? undefined : value;
}
