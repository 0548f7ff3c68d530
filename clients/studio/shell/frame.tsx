/** The frame of every page: what there is on the left, the page beside it. On a phone what there is comes from the side. */
import { ActionIcon, Center, Drawer, Menu, Text } from '@mantine/core';
import { Link, Outlet } from '@tanstack/react-router';
import { CircleUser, Menu as MenuIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useProfile } from '../../kit/people/use-profile.ts';
import { UserMenu } from '../../kit/shell/user-menu.tsx';
import { useKitTexts } from '../../kit/texts/index.ts';
import { useTexts } from '../texts/index.ts';
import type { Me } from './caller.ts';
import classes from './frame.module.css';

interface FrameProps {
  readonly me: Me;
  /** In a drawer it is told when a page was chosen. */
  readonly nav: (onChosen?: () => void) => ReactNode;
  /** In the middle of the upper edge. */
  readonly search?: ReactNode;
  /** Above every page. */
  readonly notice?: ReactNode;
}

export function Frame({ me, nav, search, notice }: FrameProps) {
  const texts = useTexts().shell;
  const { close } = useKitTexts().shell;
  const { profile } = useProfile();
  const [showsNav, setShowsNav] = useState(false);
  return (
    <div className={classes['frame']}>
      <div className={classes['nav']}>{nav()}</div>
      <header className={classes['top']}>
        <ActionIcon className={classes['menu']} aria-label={texts.navLabel} onClick={() => setShowsNav(true)}>
          <MenuIcon size={18} />
        </ActionIcon>
        <div className={classes['search']}>{search}</div>
        <UserMenu
          userId={me.userId}
          name={profile?.displayName ?? me.email}
          avatarColor={profile?.avatarColor}
          first={
            <Menu.Item
              leftSection={<CircleUser size={16} />}
              renderRoot={props => <Link to="/account" {...props} />}
            >
              {texts.pages.account}
            </Menu.Item>
          }
        />
      </header>
      <main className={classes['page']}>
        {notice}
        <Outlet />
      </main>
      <Drawer
        opened={showsNav}
        onClose={() => setShowsNav(false)}
        position="left"
        size={240}
        title={texts.navLabel}
        closeButtonProps={{ 'aria-label': close }}
      >
        {nav(() => setShowsNav(false))}
      </Drawer>
    </div>
  );
}

/** While it is not known yet whether there is such a place. */
export function Searching() {
  return (
    <Center h="100%" component="main">
      <Text c="dimmed">{useKitTexts().shell.loading}</Text>
    </Center>
  );
}
