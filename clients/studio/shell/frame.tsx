/** The frame of every page of a project: what there is on the left, the page beside it. On a phone what there is comes from the side. */
import { ActionIcon, Anchor, Center, Drawer, Stack, Text, Title } from '@mantine/core';
import { Outlet, useParams } from '@tanstack/react-router';
import { Menu as MenuIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useProfile } from '../../kit/people/use-profile.ts';
import { rememberEnvironment } from '../../kit/shell/environments.ts';
import { UserMenu } from '../../kit/shell/user-menu.tsx';
import { useKitTexts } from '../../kit/texts/index.ts';
import { useTexts } from '../texts/index.ts';
import { Nav } from './nav.tsx';
import { TenantProvider, useFindTenant, useTenant } from './tenant.tsx';
import classes from './frame.module.css';

export function Frame() {
  const params = useParams({ from: '/signed-in/$projectId/$environmentId' });
  const texts = useTexts().shell;
  const { loading } = useKitTexts().shell;
  const tenant = useFindTenant(params);
  useEffect(() => {
    if (tenant != null) rememberEnvironment(tenant);
  }, [tenant]);
  if (tenant === undefined) {
    return (
      <Center h="100%" component="main">
        <Text c="dimmed">{loading}</Text>
      </Center>
    );
  }
  if (tenant === null) {
    return (
      <Center h="100%" component="main">
        <Stack align="center" gap="xs" maw={420}>
          <Title order={1} size="h3">
            {texts.noSuchPlace}
          </Title>
          <Text size="sm" c="dimmed" ta="center">
            {texts.noSuchPlaceHint}
          </Text>
          {/* Loaded anew: nothing of the project stays in memory. */}
          <Anchor href="/studio">{texts.elsewhere}</Anchor>
        </Stack>
      </Center>
    );
  }
  // Of one environment nothing is shown in another.
  return (
    <TenantProvider key={`${tenant.projectId}/${tenant.environmentId}`} tenant={tenant}>
      <Framed />
    </TenantProvider>
  );
}

function Framed() {
  const texts = useTexts().shell;
  const { close } = useKitTexts().shell;
  const { me } = useTenant();
  const { profile } = useProfile();
  const [showsNav, setShowsNav] = useState(false);
  return (
    <div className={classes['frame']}>
      <div className={classes['nav']}>
        <Nav />
      </div>
      <header className={classes['top']}>
        <ActionIcon className={classes['menu']} aria-label={texts.navLabel} onClick={() => setShowsNav(true)}>
          <MenuIcon size={18} />
        </ActionIcon>
        <UserMenu
          userId={me.userId}
          name={profile?.displayName ?? me.email}
          avatarColor={profile?.avatarColor}
        />
      </header>
      <main className={classes['page']}>
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
        <Nav onChosen={() => setShowsNav(false)} />
      </Drawer>
    </div>
  );
}
