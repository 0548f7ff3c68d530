/** `skein profiles`: the credentials of this machine, without their secrets. */
import { defineCommand, type Family } from '../command.ts';
import { getProfile, readProfiles, removeProfile, updateProfiles, type Profile } from '../profiles.ts';

interface Row {
  readonly name: string;
  readonly isCurrent: boolean;
  readonly baseUrl: string;
  readonly projectId: string | undefined;
  readonly signedInAs: string | undefined;
}

function toRow(name: string, { baseUrl, projectId, signIn }: Profile, current: string): Row {
  return { name, isCurrent: name === current, baseUrl, projectId, signedInAs: signIn?.email };
}

export const profiles: Family = {
  name: 'profiles',
  description: 'the credentials of this machine',
  commands: [
    defineCommand({
      usage: 'list',
      description: 'all profiles; * marks the one that is used',
      async run({ output }) {
        const all = await readProfiles();
        const rows = Object.entries(all.profiles).map(([name, profile]) => toRow(name, profile, all.current));
        await output.list(rows, [
          { title: '', value: row => (row.isCurrent ? '*' : ' ') },
          { title: 'NAME', value: row => row.name },
          { title: 'SERVER', value: row => row.baseUrl, isFlexible: true },
          { title: 'PROJECT', value: row => row.projectId },
          { title: 'SIGNED IN AS', value: row => row.signedInAs, isFlexible: true },
        ]);
      },
    }),
    defineCommand({
      usage: 'use <name>',
      description: 'use this one from now on',
      async run({ output }, [name = '']) {
        await updateProfiles(all => {
          getProfile(all, name);
          return { ...all, current: name };
        });
        output.say(`Using ${name}.`);
      },
    }),
    defineCommand({
      usage: 'remove <name>',
      description: 'forget it; `logout` also revokes its key',
      async run({ output }, [name = '']) {
        getProfile(await readProfiles(), name);
        await removeProfile(name);
        output.say(`Removed ${name}. Its key is still good: \`skein logout\` would have revoked it.`);
      },
    }),
  ],
};
