/** Signing in or up, and a key for this machine: what `login` and `init` have in common. */
import { hostname } from 'node:os';
import { ApiError, type Skein } from '../sdk/index.ts';
import type { Context } from './context.ts';
import { checkAddress, defaultBaseUrl, isSameServer, readVariable } from './credentials.ts';
import { CliError, exitCodes } from './failures.ts';
import { readProfiles, saveProfile, type Profile, type SignIn } from './profiles.ts';
import { askChoice } from './questions.ts';
import { toSignIn } from './sessions.ts';

const keyLifeMs = 90 * 86_400_000;

export interface Account {
  readonly email: string;
  readonly password: string;
}

/** Where to sign in, and under which name to keep it. */
export interface SignInPlace {
  readonly baseUrl: string;
  readonly profileName: string;
}

/**
 * `--profile` may name one that is not there yet.
 *
 * @throws {CliError} a profile of another server would be lost, and nobody has named it
 */
export async function findSignInPlace({ options }: Context): Promise<SignInPlace> {
  const { current, profiles } = await readProfiles();
  const named = options.profile === undefined ? undefined : profiles[options.profile]?.baseUrl;
  const variable = readVariable(process.env, 'SKEIN_BASE_URL');
  const baseUrl = checkAddress(
    options.baseUrl ?? named ?? variable ?? profiles[current]?.baseUrl ?? defaultBaseUrl,
  );
  const known = profiles[current]?.baseUrl;
  if (options.profile === undefined && known !== undefined && !isSameServer(known, baseUrl)) {
    throw new CliError(
      `Profile ${current} is of ${known}.`,
      exitCodes.usage,
      `Say --profile with a name for ${baseUrl}, or --profile ${current} to replace it.`,
    );
  }
  return { baseUrl, profileName: options.profile ?? current };
}

/** An account that is there, or one that is made now. */
export async function signIn(anonymous: Skein, account: Account, isNew: boolean): Promise<SignIn> {
  const call = isNew ? anonymous.auth.signUp({ ...account }) : anonymous.auth.login({ ...account });
  return toSignIn(account.email, await call.withResponse());
}

/** Makes a key for this machine and keeps it with the session. Where it cannot be kept, it is taken back. */
export async function keepSignIn(context: Context, place: SignInPlace, session: SignIn): Promise<Profile> {
  const studio = context.connectAnonymously(place.baseUrl, () => session.accessToken);
  const projectId = context.options.project ?? (await chooseProject(studio));
  const environmentId = context.options.environment ?? (await findSandbox(studio, projectId));
  const key = await studio.apiKeys.create({
    projectId,
    name: `CLI on ${hostname()}`.slice(0, 64),
    environment: 'test',
    scopes: ['*'],
    expiresAt: new Date(Date.now() + keyLifeMs).toISOString(),
  });
  const { secret: apiKey, apiKeyId } = key;
  const profile: Profile = {
    baseUrl: place.baseUrl,
    projectId,
    environmentId,
    apiKey,
    apiKeyId,
    signIn: session,
  };
  const before = await readFormer(place);
  try {
    await saveProfile(place.profileName, profile, true);
  } catch (error) {
    await revoke(studio, apiKeyId);
    throw error;
  }
  // The key of the last login on this machine is of no more use.
  if (before?.baseUrl === place.baseUrl && before.apiKeyId !== undefined)
    await revoke(studio, before.apiKeyId);
  return profile;
}

async function readFormer({ profileName }: SignInPlace): Promise<Profile | undefined> {
  return (await readProfiles()).profiles[profileName];
}

/** What cannot be revoked any more is somebody else's, or gone. */
async function revoke(studio: Skein, apiKeyId: string): Promise<void> {
  await studio.apiKeys.revoke(apiKeyId).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
  });
}

async function chooseProject(studio: Skein): Promise<string> {
  const projects = await studio.projects.list().toArray(100);
  if (projects.length === 0) throw new CliError('The account has no project.');
  return askChoice(
    'Which project?',
    '--project',
    projects.map(({ projectId, name }) => ({ value: projectId, label: `${name} (${projectId})` })),
  );
}

async function findSandbox(studio: Skein, projectId: string): Promise<string> {
  const environments = await studio.environments.list({ projectId }).toArray();
  const sandbox = environments.find(({ kind }) => kind === 'sandbox');
  if (sandbox === undefined) throw new CliError('The project has no sandbox.', exitCodes.failed);
  return sandbox.environmentId;
}
