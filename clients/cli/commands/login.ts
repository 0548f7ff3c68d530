/** `skein login`: with e-mail and password, or with a key from stdin. Secrets never come as options: others see those in the process list. */
import { findSignInPlace, keepSignIn, signIn, type SignInPlace } from '../accounts.ts';
import { defineCommand, option } from '../command.ts';
import type { Context } from '../context.ts';
import { CliError, exitCodes } from '../failures.ts';
import { getProfilesFile, saveProfile, type Profile } from '../profiles.ts';
import { askPassword, askText, readSecret } from '../questions.ts';

interface LoginOptions {
  readonly email?: string;
  readonly passwordStdin?: boolean;
  readonly keyStdin?: boolean;
}

export const login = defineCommand<LoginOptions>({
  usage: 'login',
  description: 'sign in, and keep a key of the sandbox for this machine, for 90 days',
  options: [
    option('--email <address>', 'your e-mail address'),
    option('--password-stdin', 'read the password from stdin'),
    option('--key-stdin', 'keep an API key that you have, read from stdin'),
  ],
  examples:
    '  skein login --email you@example.com --password-stdin < password.txt\n  pass show skein | skein login --key-stdin --profile live',
  async run(context, _args, options) {
    const place = await findSignInPlace(context);
    if (options.keyStdin === true) return keepKey(context, place, await readSecret('--key-stdin'));
    const email =
      options.email ?? (await askText('E-mail address', '--email and --password-stdin, or --key-stdin'));
    const password =
      options.passwordStdin === true
        ? await readSecret('--password-stdin')
        : await askPassword('Password', '--password-stdin');
    const session = await signIn(context.connectAnonymously(place.baseUrl), { email, password }, false);
    const profile = await keepSignIn(context, place, session);
    report(context, place, profile, `Signed in as ${email}`);
  },
});

async function keepKey(context: Context, place: SignInPlace, apiKey: string): Promise<void> {
  if (!/^svc_(test|live)_\S+$/.test(apiKey))
    throw new CliError('That is no API key: those begin with svc_test_ or svc_live_.', exitCodes.usage);
  const { projectId, environmentId } = await context.connectAnonymously(place.baseUrl, apiKey).caller.get();
  const profile: Profile = {
    baseUrl: place.baseUrl,
    projectId: projectId ?? undefined,
    environmentId: environmentId ?? undefined,
    apiKey,
  };
  await saveProfile(place.profileName, profile, true);
  report(context, place, profile, 'The key is good');
}

function report({ output }: Context, { profileName }: SignInPlace, profile: Profile, what: string): void {
  const { baseUrl, projectId, environmentId } = profile;
  const file = getProfilesFile();
  if (output.isJson) return output.json({ profile: profileName, baseUrl, projectId, environmentId, file });
  output.say(`${what} at ${baseUrl}, for project ${projectId}.`);
  output.say(`Kept as profile ${profileName} in ${file}.`);
}
