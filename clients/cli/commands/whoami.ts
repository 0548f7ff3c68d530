/** `skein whoami`: which credential, from where, for what. */
import { defineCommand } from '../command.ts';
import type { Credential } from '../credentials.ts';
import { getProfile, getProfilesFile, readProfiles } from '../profiles.ts';

export const whoami = defineCommand({
  usage: 'whoami',
  description: 'which credential is used, where it comes from, and what it may do',
  async run(context) {
    const credential = await context.getCredential();
    const caller = await (await context.connect()).caller.get();
    const signedInAs = await findEmail(credential);
    const shown = {
      server: credential.baseUrl,
      credential: describeSource(credential),
      signedInAs,
      type: caller.type,
      user: caller.user?.email,
      projectId: caller.projectId,
      environmentId: caller.environmentId,
      environment: caller.environmentKind,
      keyPrefix: caller.apiKey?.keyPrefix,
      keyName: caller.apiKey?.name,
      scopes: caller.scopes,
      expiresAt: caller.expiresAt,
    };
    if (context.output.isJson) context.output.json(shown);
    else context.output.fields(shown);
  },
});

function describeSource({ source, profileName }: Credential): string {
  return source === 'environment'
    ? 'SKEIN_API_KEY of the environment'
    : `profile ${profileName} in ${getProfilesFile()}`;
}

async function findEmail({ isSignedIn, profileName }: Credential): Promise<string | undefined> {
  return isSignedIn ? getProfile(await readProfiles(), profileName).signIn?.email : undefined;
}
