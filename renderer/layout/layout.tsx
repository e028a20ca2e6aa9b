import { ActionIcon, AppShell, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconMenu2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useCalls } from '../api/client.ts';
import { focusFilter } from '../hooks/keyboard/focus-filter.ts';
import { isDialogOpen } from '../hooks/keyboard/open-dialog.ts';
import { useShortcuts } from '../hooks/keyboard/use-shortcuts.ts';
import { ConnectionNotice } from './connection-notice.tsx';
import { KeyHelp } from './shortcut-help.tsx';
import { useCommandPalette } from '../palette/use-command-palette.tsx';
import { useGoToKeys } from './use-go-to-keys.ts';
import { PauseNotice } from './pause-notice.tsx';
import { NavigationRail } from './navigation-rail.tsx';
import { useVideoNotices } from './use-video-notices.tsx';

/** Toasts are shown below the bar of a narrow window and move the page down, so that they cover nothing. */
const HEADER_HEIGHT = 'calc(44px + var(--gate-toasts-height, 0px))';

/** The frame of every screen: navigation, command palette, shortcuts and notices. */
export function Layout() {
  const [menu, { toggle, close }] = useDisclosure(false);
  const [help, keyHelp] = useDisclosure(false);
  const { palette, open } = useCommandPalette(keyHelp.open);
  const { pathname } = useLocation();
  useEffect(close, [pathname, close]);
  const openKeyHelp = (): void => {
    if (!isDialogOpen()) keyHelp.open();
  };
  useShortcuts({
    '/': focusFilter,
    // On keyboards where the slash needs Shift.
    'shift+/': focusFilter,
    '?': openKeyHelp,
    'shift+?': openKeyHelp,
  });
  useGoToKeys();
  useFirstSteps(pathname);
  useVideoNotices();
  return (
    <AppShell
      navbar={{ width: 184, breakpoint: 'xs', collapsed: { mobile: !menu } }}
      header={{ height: { base: HEADER_HEIGHT, xs: 0 } }}
      transitionDuration={120}
    >
      <AppShell.Header hiddenFrom="xs" px="sm">
        <Group h={44} gap="xs">
          <ActionIcon
            variant="subtle"
            color="gray"
            onClick={toggle}
            aria-label={menu ? 'Close the menu' : 'Open the menu'}
            aria-expanded={menu}
          >
            <IconMenu2 size={20} />
          </ActionIcon>
          <Text fw={600}>Gatehouse</Text>
        </Group>
      </AppShell.Header>
      <NavigationRail folded={!menu} onHelp={keyHelp.open} onSearch={open} />
      <AppShell.Main>
        <ConnectionNotice />
        <PauseNotice />
        <Outlet />
      </AppShell.Main>
      {palette}
      <KeyHelp opened={help} onClose={keyHelp.close} />
    </AppShell>
  );
}

/** Redirects once to the first steps when nothing is set up yet. */
function useFirstSteps(pathname: string): void {
  const calls = useCalls();
  const navigate = useNavigate();
  const { data } = useQuery(calls.status.get.queryOptions());
  const first = data?.setUp === false && pathname === '/';
  useEffect(() => {
    if (first) void navigate({ to: '/welcome', replace: true });
  }, [first, navigate]);
}
