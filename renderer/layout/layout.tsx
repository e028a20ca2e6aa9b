import { ActionIcon, Text } from '@mantine/core';
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
import { HoldNotice } from './hold-notice.tsx';
import { KeyHelp } from './shortcut-help.tsx';
import { useCommandPalette } from '../palette/use-command-palette.tsx';
import { useGoToKeys } from './use-go-to-keys.ts';
import { PauseNotice } from './pause-notice.tsx';
import { NavigationRail } from './navigation-rail.tsx';
import { useVideoNotices } from './use-video-notices.tsx';
import classes from './layout.module.css';

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
    <div className={classes['layout']}>
      <header className={classes['header']}>
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
      </header>
      <NavigationRail folded={!menu} onHelp={keyHelp.open} onSearch={open} />
      <main className={classes['main']}>
        <ConnectionNotice />
        <PauseNotice />
        <HoldNotice />
        <Outlet />
      </main>
      {palette}
      <KeyHelp opened={help} onClose={keyHelp.close} />
    </div>
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
