/** Who is signed in: how the app looks and what it speaks, and the way out. Each app adds what else belongs to its user. */
import { ActionIcon, Menu } from '@mantine/core';
import { LogOut, Monitor, Moon, Sun } from 'lucide-react';
import type { ReactNode } from 'react';
import { askToSignOut } from '../browser-session.ts';
import { Face } from '../people/face.tsx';
import { languages, useSetLanguage, useTheme } from '../people/use-profile.ts';
import { useKitTexts, useLanguageTag } from '../texts/index.ts';

const schemes = { light: Sun, dark: Moon, auto: Monitor } as const;

interface UserMenuProps {
  readonly userId: string;
  readonly name: string;
  readonly avatarColor: string | null | undefined;
  /** Items above the appearance, and above the way out. */
  readonly first?: ReactNode;
  readonly last?: ReactNode;
}

export function UserMenu({ userId, name, avatarColor, first, last }: UserMenuProps) {
  const texts = useKitTexts().shell;
  const tag = useLanguageTag();
  const { theme, setTheme } = useTheme();
  const setLanguage = useSetLanguage();
  return (
    <Menu position="bottom-end" width={220} shadow="md">
      <Menu.Target>
        <ActionIcon size="lg" radius="xl" aria-label={texts.user(name)}>
          <Face userId={userId} name={name} color={avatarColor} size={28} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{name}</Menu.Label>
        {first}
        {first !== undefined && <Menu.Divider />}
        <Menu.Label>{texts.appearance}</Menu.Label>
        {(Object.keys(schemes) as (keyof typeof schemes)[]).map(scheme => {
          const Icon = schemes[scheme];
          return (
            <Menu.Item
              key={scheme}
              role="menuitemradio"
              aria-checked={theme === scheme}
              leftSection={<Icon size={15} />}
              rightSection={theme === scheme ? '✓' : undefined}
              onClick={() => setTheme(scheme)}
            >
              {texts.schemes[scheme]}
            </Menu.Item>
          );
        })}
        <Menu.Divider />
        <Menu.Label>{texts.language}</Menu.Label>
        {Object.entries(languages).map(([language, ownName]) => (
          <Menu.Item
            key={language}
            lang={language}
            role="menuitemradio"
            aria-checked={tag === language}
            rightSection={tag === language ? '✓' : undefined}
            onClick={() => setLanguage(language)}
          >
            {ownName}
          </Menu.Item>
        ))}
        <Menu.Divider />
        {last}
        <Menu.Item leftSection={<LogOut size={15} />} onClick={() => void askToSignOut()}>
          {texts.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
