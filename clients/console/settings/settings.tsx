/** What an operator sets for themselves. */
import { Radio, SegmentedControl, Select, Stack, Switch, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Profile } from '../../sdk/index.ts';
import {
  keepPreferences,
  type NotificationPreferences,
  toPreferences,
} from '../notifications/preferences.ts';
import { languages, useProfile, useSetLanguage, useTheme } from '../../kit/people/use-profile.ts';
import { playSound } from '../notifications/sound.ts';
import { useKitTexts, useLanguageTag } from '../../kit/texts/index.ts';
import { useTexts } from '../texts/index.ts';
import { useAction } from '../../kit/use-action.ts';
import { ProfileForm } from './profile-form.tsx';
import { PageHead } from './page-head.tsx';
import classes from './settings.module.css';

export function Settings() {
  const texts = useTexts().settings;
  const { profile } = useProfile();
  return (
    <main className={classes['page']}>
      <Stack gap="xl" className={classes['column']}>
        <PageHead title={texts.title} />
        <Section title={texts.profile.title}>
          <ProfileForm />
        </Section>
        <Appearance />
        {profile !== undefined && <NotificationSettings profile={profile} />}
      </Stack>
    </main>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className={classes['section']}>
      <Title order={2} size="h3">
        {title}
      </Title>
      <Stack gap="md">{children}</Stack>
    </section>
  );
}

function Appearance() {
  const texts = useTexts().settings;
  const { shell } = useKitTexts();
  const tag = useLanguageTag();
  const { theme, setTheme } = useTheme();
  const setLanguage = useSetLanguage();
  return (
    <Section title={texts.appearance.title}>
      <SegmentedControl
        aria-label={shell.appearance}
        size="xs"
        value={theme}
        onChange={chosen => setTheme(chosen as typeof theme)}
        data={(['light', 'dark', 'auto'] as const).map(value => ({ value, label: shell.schemes[value] }))}
      />
      <Select
        label={shell.language}
        description={texts.appearance.languageHint}
        w={220}
        allowDeselect={false}
        value={tag}
        onChange={chosen => chosen !== null && chosen !== tag && setLanguage(chosen)}
        data={Object.entries(languages).map(([value, label]) => ({ value, label }))}
      />
      <TimeZone />
    </Section>
  );
}

/** Of the browser, where none is chosen. */
function TimeZone() {
  const { appearance: texts } = useTexts().settings;
  const { profile, change } = useProfile();
  const action = useAction();
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const chosen = profile?.timeZone ?? '';
  const zones = new Set([chosen, ...Intl.supportedValuesOf('timeZone')].filter(zone => zone !== ''));
  return (
    <Select
      label={texts.timeZone}
      description={texts.timeZoneHint}
      error={action.problem}
      w={320}
      searchable
      allowDeselect={false}
      value={chosen}
      onChange={zone =>
        zone !== null && void action.run(() => change({ timeZone: zone === '' ? null : zone }))
      }
      data={[
        { value: '', label: texts.ownTimeZone(own) },
        ...Array.from(zones, zone => ({ value: zone, label: zone.replaceAll('_', ' ') })),
      ]}
    />
  );
}

function NotificationSettings({ profile }: { readonly profile: Profile }) {
  const texts = useTexts().settings.notifications;
  const { userId } = profile;
  const [preferences, setPreferences] = useState(() => toPreferences(profile.notifications));
  const [isRefused, setRefused] = useState(false);
  const { change: changeProfile } = useProfile();
  const change = (changed: Partial<NotificationPreferences>): void => {
    const next = { ...preferences, ...changed };
    keepPreferences(localStorage, userId, next);
    setPreferences(next);
    // Where the server cannot be reached, they hold in this browser.
    const { desktop: browser, showsText: showText, title, sound, about } = next;
    void changeProfile({ notifications: { title, browser, sound, showText, about } }).catch(() => undefined);
  };
  const changeDesktop = async (desktop: boolean): Promise<void> => {
    const permission =
      desktop && 'Notification' in globalThis ? await Notification.requestPermission() : 'default';
    setRefused(desktop && permission !== 'granted');
    change({ desktop: desktop && permission === 'granted' });
  };
  return (
    <Section title={texts.title}>
      <Switch
        label={texts.inTitle}
        description={texts.inTitleHint}
        checked={preferences.title}
        onChange={event => change({ title: event.currentTarget.checked })}
      />
      <Switch
        label={texts.desktop}
        description={texts.desktopHint}
        error={isRefused && texts.refused}
        checked={preferences.desktop}
        onChange={event => void changeDesktop(event.currentTarget.checked)}
      />
      <Switch
        label={texts.text}
        description={texts.textHint}
        disabled={!preferences.desktop}
        checked={preferences.showsText}
        onChange={event => change({ showsText: event.currentTarget.checked })}
      />
      <Switch
        label={texts.sound}
        checked={preferences.sound}
        onChange={event => {
          change({ sound: event.currentTarget.checked });
          if (event.currentTarget.checked) playSound();
        }}
      />
      <Radio.Group
        label={texts.about}
        value={preferences.about}
        onChange={about => change({ about: about as NotificationPreferences['about'] })}
      >
        <Stack gap={6} mt={6}>
          {(['mine', 'unassigned', 'all'] as const).map(about => (
            <Radio key={about} value={about} label={texts.abouts[about]} size="xs" />
          ))}
        </Stack>
      </Radio.Group>
    </Section>
  );
}
