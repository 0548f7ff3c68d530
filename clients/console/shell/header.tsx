/** Above everything: search, how the connection stands, and who is signed in. */
import { ActionIcon, Menu } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Keyboard, Menu as MenuIcon, MessageSquareText, Settings, UserRound } from 'lucide-react';
import { UserMenu } from '../../kit/shell/user-menu.tsx';
import { useConversing } from '../thread/conversations-context.tsx';
import { useNames } from '../thread/names.tsx';
import { useKitTexts } from '../../kit/texts/index.ts';
import { useTexts } from '../texts/index.ts';
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
      <OperatorMenu onShortcuts={onShortcuts} />
    </header>
  );
}

function OperatorMenu({ onShortcuts }: { readonly onShortcuts: () => void }) {
  const { shell: texts, settings } = useTexts();
  const { ownTitle } = useKitTexts().account;
  const { projectId } = useConversing();
  const navigate = useNavigate();
  const me = useNames().colleagues.find(({ isMe }) => isMe);
  return (
    <UserMenu
      userId={me?.userId ?? ''}
      name={me?.name ?? ''}
      avatarColor={me?.avatarColor}
      first={
        <Menu.Item leftSection={<Keyboard size={15} />} rightSection="?" onClick={onShortcuts}>
          {texts.shortcuts.title}
        </Menu.Item>
      }
      last={
        <>
          <Menu.Item leftSection={<Settings size={15} />} onClick={() => void navigate({ to: '/settings' })}>
            {texts.settings}
          </Menu.Item>
          <Menu.Item leftSection={<UserRound size={15} />} onClick={() => void navigate({ to: '/account' })}>
            {ownTitle}
          </Menu.Item>
          <Menu.Item
            leftSection={<MessageSquareText size={15} />}
            onClick={() =>
              void navigate({ to: '/settings/canned-replies/$projectId', params: { projectId } })
            }
          >
            {settings.replies.title}
          </Menu.Item>
        </>
      }
    />
  );
}
