/** `skein logout`: the key that `login` made is revoked, the session ended, and then the profile removed. */
import { ApiError } from '../../sdk/index.ts';
import { defineCommand, option } from '../command.ts';
import type { Context } from '../context.ts';
import { CliError, endSentence } from '../failures.ts';
import { getProfile, readProfiles, removeProfile } from '../profiles.ts';
import { getAccessToken } from '../sessions.ts';

export const logout = defineCommand<{ readonly all?: boolean }>({
  usage: 'logout',
  description: 'revoke the key that login made, sign out, and remove the profile',
  options: [option('--all', 'all profiles')],
  async run(context, _args, { all }) {
    const { current, profiles } = await readProfiles();
    const names = all === true ? Object.keys(profiles) : [context.options.profile ?? current];
    for (const name of names) {
      await endProfile(context, name);
      context.output.say(`Signed out of ${name}.`);
    }
    if (process.env['SKEIN_API_KEY'] !== undefined) context.output.say('SKEIN_API_KEY is still set.');
  },
});

async function endProfile(context: Context, name: string): Promise<void> {
  const profile = getProfile(await readProfiles(), name);
  if (profile.signIn !== undefined) await endSession(context, name);
  await removeProfile(name);
}

/** A session that has ended by itself takes nothing with it, so the key is named. */
async function endSession(context: Context, name: string): Promise<void> {
  const { baseUrl, apiKeyId } = getProfile(await readProfiles(), name);
  const anonymous = context.connectAnonymously(baseUrl);
  try {
    const token = await getAccessToken(name, anonymous);
    const studio = context.connectAnonymously(baseUrl, token);
    if (apiKeyId !== undefined) await ignoreRefusal(studio.apiKeys.revoke(apiKeyId));
    const { signIn } = getProfile(await readProfiles(), name);
    await ignoreRefusal(studio.auth.logout({ headers: { cookie: signIn?.refreshCookie ?? '' } }));
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    context.output.say(
      `${endSentence(error.message)} The key ${apiKeyId ?? ''} is still good until it expires: revoke it in Studio.`,
    );
  }
}

async function ignoreRefusal(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
  });
}
