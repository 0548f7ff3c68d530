/** Who is signed in: how the app looks and what it speaks, and the way out. Each app adds what else belongs to its user. */
import { ActionIcon, Menu } from '@mantine/core';
import { LogOut, Monitor, Moon, Sun } from 'lucide-react';
import type { ReactNode } from 'react';
import { askToSignOut } from '../browser-session.ts';
import { Face } from '../people/face.tsx';
import { languages, useSetLanguage, useTheme } from '../people/use-profile.ts';
import { useKitTexts, useLanguageTag } from '../texts/index.ts';
import { RadioItem } from './radio-item.tsx';

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
    <Menu position="bottom-end" width={220} shadow="md" withinPortal={false}>
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
            <RadioItem
              key={scheme}
              icon={<Icon size={15} />}
              isChosen={theme === scheme}
              onChoose={() => setTheme(scheme)}
            >
              {texts.schemes[scheme]}
            </RadioItem>
          );
        })}
        <Menu.Divider />
        <Menu.Label>{texts.language}</Menu.Label>
        {Object.entries(languages).map(([language, ownName]) => (
          <RadioItem
            key={language}
            lang={language}
            isChosen={tag === language}
            onChoose={() => setLanguage(language)}
          >
            {ownName}
          </RadioItem>
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
