/** How colleagues see the operator. */
import { Button, Group, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import type { Profile } from '../../sdk/index.ts';
import { Face, faceColors } from '../../kit/people/face.tsx';
import { useProfile } from '../../kit/people/use-profile.ts';
import { useTexts } from '../texts/index.ts';
import { describeError } from '../../kit/error-texts.ts';
import classes from './settings.module.css';

export function ProfileForm() {
  const { profile } = useProfile();
  // With the profile as it is by now.
  return profile === undefined ? null : <Fields key={profile.displayName} profile={profile} />;
}

function Fields({ profile }: { readonly profile: Profile }) {
  const texts = useTexts().settings.profile;
  const { change } = useProfile();
  const [name, setName] = useState(profile.displayName);
  const [problem, setProblem] = useState<string>();
  const save = async (changed: Parameters<typeof change>[0]): Promise<void> => {
    setProblem(undefined);
    await change(changed).catch(async (error: unknown) => setProblem(await describeError(error)));
  };
  return (
    <Stack gap="md">
      <Group gap="sm">
        <Face userId={profile.userId} name={profile.displayName} color={profile.avatarColor} size={40} />
        <Text size="sm" c="dimmed">
          {profile.email}
        </Text>
      </Group>
      <form
        onSubmit={event => {
          event.preventDefault();
          void save({ displayName: name.trim() === '' ? null : name.trim() });
        }}
      >
        <Group align="end" gap="xs">
          <TextInput
            label={texts.name}
            description={texts.nameHint}
            maxLength={80}
            dir="auto"
            error={problem}
            value={name}
            onChange={event => setName(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" disabled={name.trim() === profile.displayName}>
            {texts.save}
          </Button>
        </Group>
      </form>
      <div role="radiogroup" aria-label={texts.color} className={classes['colors']}>
        {faceColors.map(color => (
          <UnstyledButton
            key={color}
            role="radio"
            aria-checked={profile.avatarColor === color}
            aria-label={texts.colors[color]}
            title={texts.colors[color]}
            className={classes['color']}
            onClick={() => void save({ avatarColor: color })}
          >
            <Face userId={profile.userId} name={profile.displayName} color={color} size={26} />
          </UnstyledButton>
        ))}
      </div>
    </Stack>
  );
}
