import icon from '../icon.svg';
import {
  Badge,
  Box,
  Group,
  Kbd,
  Stack,
  Text,
  Tooltip,
  UnstyledButton,
  VisuallyHidden,
} from '@mantine/core';
import {
  IconBox,
  IconChartBar,
  IconCoins,
  IconHistory,
  IconHome,
  IconKeyboard,
  IconMessage,
  IconMovie,
  IconPlugConnected,
  IconSearch,
  IconSettings,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { useCalls } from '../api/client.ts';
import { useLiveState } from '../api/use-live.ts';
import { pluralize, formatCount } from '../../shared/format.ts';
import { MOD_KEY } from '../hooks/keyboard/mod-key.ts';
import { useSlowNow } from '../hooks/use-now.ts';
import { usePauseButton } from '../hooks/use-pause-button.ts';
import { PERSON_VIDEO_STATES } from '../../shared/video/video-states.ts';
import { ProfileSwitch } from './profile-switch.tsx';
import { toStatusLine } from './status-line.ts';
import classes from './navigation-rail.module.css';
import { useActiveVideos } from '../api/use-active-videos.ts';

const SCREENS = [
  { to: '/', label: 'Home', icon: IconHome },
  { to: '/chat', label: 'Chat', icon: IconMessage },
  { to: '/models', label: 'Models', icon: IconBox },
  { to: '/history', label: 'History', icon: IconHistory },
  { to: '/usage', label: 'Usage', icon: IconChartBar },
  { to: '/prices', label: 'Prices', icon: IconCoins },
  { to: '/videos', label: 'Videos', icon: IconMovie },
  { to: '/clients', label: 'Clients', icon: IconPlugConnected },
  { to: '/settings', label: 'Settings', icon: IconSettings },
] as const;

interface NavigationRailProps {
  /** On a narrow page it is hidden and not reachable by the Tab key. */
  readonly folded: boolean;
  readonly onHelp: () => void;
  readonly onSearch: () => void;
}

/** The navigation between the screens, with the state of Gatehouse below it. */
export function NavigationRail({ folded, onHelp, onSearch }: NavigationRailProps) {
  const { pathname } = useLocation();
  return (
    <nav className={classes['rail']} data-folded={folded || undefined} aria-label="Screens">
      <Group gap={8} px={8} py={6} mb={6} visibleFrom="xs">
        <img src={icon} alt="" width={20} height={20} />
        <Text fw={600}>Gatehouse</Text>
      </Group>
      <UnstyledButton className={classes['search'] ?? ''} onClick={onSearch}>
        <IconSearch size={15} aria-hidden />
        <span>Go to…</span>
        <Kbd size="xs">{MOD_KEY} K</Kbd>
      </UnstyledButton>
      <Stack gap={2} mt={8}>
        {SCREENS.map(({ to, label, icon: Icon }) => {
          const active = to === '/' ? pathname === '/' : pathname.startsWith(to);
          return (
            <Link
              key={to}
              to={to}
              className={classes['link'] ?? ''}
              aria-current={active ? 'page' : undefined}
            >
              <Icon size={17} stroke={1.7} aria-hidden />
              <span>{label}</span>
              {to === '/videos' && <VideosWaiting />}
            </Link>
          );
        })}
      </Stack>
      <Box mt="auto" />
      <UnstyledButton className={classes['help'] ?? ''} onClick={onHelp}>
        <IconKeyboard size={15} aria-hidden />
        <span>Keyboard</span>
        <Kbd size="xs">?</Kbd>
      </UnstyledButton>
      <ProfileSwitch />
      <PauseAction />
      <StatusFooter />
    </nav>
  );
}

/** Number of videos that need a decision by a person. */
function VideosWaiting() {
  const counts = useActiveVideos().data?.counts;
  const count = PERSON_VIDEO_STATES.reduce((sum, state) => sum + (counts?.[state] ?? 0), 0);
  if (count === 0) return null;
  return (
    <Badge size="sm" circle={count < 10} color="orange.9" data-figures>
      {formatCount(count)}
      <VisuallyHidden> {pluralize(count, 'video')} waiting for you</VisuallyHidden>
    </Badge>
  );
}

/** Pauses and resumes on every screen. */
function PauseAction() {
  const { label, description, icon: Icon, disabled, onClick } = usePauseButton();
  return (
    <Tooltip label={description} position="right">
      <UnstyledButton className={classes['help'] ?? ''} disabled={disabled} onClick={onClick}>
        <Icon size={15} aria-hidden />
        <span>{label}</span>
      </UnstyledButton>
    </Tooltip>
  );
}

function StatusFooter() {
  const calls = useCalls();
  const { state } = useLiveState();
  const { data } = useQuery(calls.status.get.queryOptions());
  const now = useSlowNow();
  const { tone, title, detail } = toStatusLine(data, { gone: state === 'gone', now });
  return (
    <Tooltip label={detail} position="right">
      <Link to="/" className={classes['footer'] ?? ''}>
        <span className={classes['dot'] ?? ''} data-tone={tone} aria-hidden />
        <span className={classes['footerText'] ?? ''}>{title}</span>
      </Link>
    </Tooltip>
  );
}
