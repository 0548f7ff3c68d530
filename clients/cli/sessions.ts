/**
 * Signing in as a person. The server gives an access token for 15 minutes, and a cookie for the next one. Each cookie is good for one refresh;
 * used twice it ends the session. So refreshes happen one at a time, of whatever process, and what one got is for all.
 */
import type { Skein } from '../sdk/index.ts';
import { ApiError, type Answer, type TokenResponse } from '../sdk/index.ts';
import { CliError, exitCodes } from './failures.ts';
import { getProfile, readProfiles, updateProfiles, type SignIn } from './profiles.ts';

/** A token that ends sooner is renewed first. */
const leastLeftMs = 30_000;

/** The session of an answer that signs somebody in. */
export function toSignIn(email: string, { data, response }: Answer<TokenResponse>): SignIn {
  const cookie = response.headers
    .getSetCookie()
    .map(header => header.split(';')[0] ?? '')
    .find(pair => /svc_refresh=./.test(pair));
  if (cookie === undefined)
    throw new CliError('The server has signed you in, but has given no refresh cookie.');
  return {
    email,
    accessToken: data.accessToken,
    expiresAt: Date.now() + data.expiresIn * 1_000,
    refreshCookie: cookie,
  };
}

/** An access token of the profile's session. */
export async function getAccessToken(profileName: string, anonymous: Skein): Promise<string> {
  const { signIn } = getProfile(await readProfiles(), profileName);
  if (signIn !== undefined && isFresh(signIn)) return signIn.accessToken;
  return refresh(profileName, anonymous);
}

async function refresh(profileName: string, anonymous: Skein): Promise<string> {
  let accessToken = '';
  await updateProfiles(async profiles => {
    const profile = getProfile(profiles, profileName);
    // Another command may have been faster.
    const signIn = isFresh(profile.signIn) ? profile.signIn : await ask(profile.signIn, anonymous);
    accessToken = signIn.accessToken;
    return { ...profiles, profiles: { ...profiles.profiles, [profileName]: { ...profile, signIn } } };
  });
  return accessToken;
}

async function ask(signIn: SignIn | undefined, anonymous: Skein): Promise<SignIn> {
  if (signIn === undefined) throw createLoginRequired('You are not signed in.');
  try {
    const headers = { cookie: signIn.refreshCookie };
    return toSignIn(signIn.email, await anonymous.auth.refresh({ headers }).withResponse());
  } catch (error) {
    if (error instanceof ApiError && error.status === 401)
      throw createLoginRequired('Your session has ended.');
    throw error;
  }
}

export function createLoginRequired(message: string): CliError {
  return new CliError(message, exitCodes.auth, 'Run `skein login`.');
}

function isFresh(signIn: SignIn | undefined): signIn is SignIn {
  return signIn !== undefined && signIn.expiresAt - Date.now() > leastLeftMs;
}
