/** Above everything: search, how the connection stands, and who is signed in. */
import { ActionIcon, Menu } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import {
  Keyboard,
  LogOut,
  Menu as MenuIcon,
  MessageSquareText,
  Monitor,
  Moon,
  Settings,
  Sun,
} from 'lucide-react';
import { signOut } from '../../kit/browser-session.ts';
import { Face } from '../people/face.tsx';
import { languages, useSetLanguage, useTheme } from '../people/use-profile.ts';
import { useConversing } from '../thread/conversations-context.tsx';
import { useNames } from '../thread/names.tsx';
import { useLanguageTag, useTexts } from '../texts/index.ts';
import { SearchField } from '../search/search-field.tsx';
import { Connection } from './connection.tsx';
import classes from './header.module.css';

interface HeaderProps {
  readonly onMenu: () => void;
  readonly onShortcuts: () => void;
}

export function Header({ onMenu, onShortcuts }: HeaderProps) {
  const texts = useTexts().shell;
  return (
    <header className={classes['header']}>
      <ActionIcon className={classes['menu']} aria-label={texts.menu} onClick={onMenu}>
        <MenuIcon size={18} />
      </ActionIcon>
      <div className={classes['space']}>
        <SearchField onShortcuts={onShortcuts} />
      </div>
      <Connection />
      <UserMenu onShortcuts={onShortcuts} />
    </header>
  );
}

const schemes = { light: Sun, dark: Moon, auto: Monitor } as const;

function UserMenu({ onShortcuts }: { readonly onShortcuts: () => void }) {
  const { shell: texts, settings } = useTexts();
  const { projectId } = useConversing();
  const tag = useLanguageTag();
  const { theme, setTheme } = useTheme();
  const setLanguage = useSetLanguage();
  const navigate = useNavigate();
  const me = useNames().colleagues.find(({ isMe }) => isMe);
  return (
    <Menu position="bottom-end" width={220} shadow="md">
      <Menu.Target>
        <ActionIcon size="lg" radius="xl" aria-label={texts.user(me?.name ?? '')}>
          <Face userId={me?.userId ?? ''} name={me?.name ?? ''} color={me?.avatarColor} size={28} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{me?.name}</Menu.Label>
        <Menu.Item leftSection={<Keyboard size={15} />} rightSection="?" onClick={onShortcuts}>
          {texts.shortcuts.title}
        </Menu.Item>
        <Menu.Divider />
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
        {Object.entries(languages).map(([language, name]) => (
          <Menu.Item
            key={language}
            lang={language}
            role="menuitemradio"
            aria-checked={tag === language}
            rightSection={tag === language ? '✓' : undefined}
            onClick={() => setLanguage(language)}
          >
            {name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<Settings size={15} />} onClick={() => void navigate({ to: '/settings' })}>
          {texts.settings}
        </Menu.Item>
        <Menu.Item
          leftSection={<MessageSquareText size={15} />}
          onClick={() => void navigate({ to: '/settings/canned-replies/$projectId', params: { projectId } })}
        >
          {settings.replies.title}
        </Menu.Item>
        <Menu.Item leftSection={<LogOut size={15} />} onClick={() => void signOut()}>
          {texts.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
