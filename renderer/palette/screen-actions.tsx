import { Group, Kbd } from '@mantine/core';
import {
  IconArrowsDiff,
  IconBox,
  IconChartBar,
  IconCoins,
  IconHistory,
  IconHome,
  IconListDetails,
  IconMessage,
  IconMovie,
  IconPlugConnected,
  IconSettings,
  IconStethoscope,
} from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { GO_TO_KEYS } from '../layout/use-go-to-keys.ts';
import { ICON } from './icon.ts';
import type { PaletteAction } from './rank-actions.ts';

/** The screens, with other words to find them by. */
const SCREENS = [
  { to: '/', label: 'Home', icon: IconHome, words: ['today'] },
  { to: '/chat', label: 'Chat', icon: IconMessage, words: ['conversations'] },
  { to: '/models', label: 'Models', icon: IconBox, words: [] },
  { to: '/history', label: 'History', icon: IconHistory, words: ['requests', 'export'] },
  { to: '/history/runs', label: 'Runs', icon: IconListDetails, words: ['agents', 'fixture'] },
  {
    to: '/usage',
    label: 'Usage',
    icon: IconChartBar,
    words: ['costs', 'money', 'tokens', 'speed'],
  },
  {
    to: '/usage/reconcile',
    label: 'Compare usage with the service',
    icon: IconArrowsDiff,
    words: ['reconcile', 'export', 'costs', 'bill'],
  },
  { to: '/videos', label: 'Videos', icon: IconMovie, words: [] },
  { to: '/clients', label: 'Clients', icon: IconPlugConnected, words: ['local keys', 'api key'] },
  { to: '/prices', label: 'Prices', icon: IconCoins, words: ['costs', 'money', 'currency'] },
  {
    to: '/doctor',
    label: 'Doctor: check everything',
    icon: IconStethoscope,
    words: ['health', 'diagnose', 'problems', 'report', 'bug'],
  },
  { to: '/settings', label: 'Settings', icon: IconSettings, words: [] },
  { to: '/welcome', label: 'First steps', icon: IconHome, words: [] },
] as const;

/** Returns the actions that open a screen or a part of one. */
export function useScreenActions(): PaletteAction[] {
  const navigate = useNavigate();
  const screens = SCREENS.map(({ to, label, icon: Icon, words }) => ({
    id: `screen-${to}`,
    label,
    keywords: [...words],
    leftSection: <Icon {...ICON} />,
    rightSection: toKeys(to),
    onClick: () => void navigate({ to, search: {} }),
  }));
  return [
    ...screens,
    {
      id: 'history-failed',
      label: 'Failed requests',
      keywords: ['history', 'errors'],
      leftSection: <IconHistory {...ICON} />,
      onClick: () => void navigate({ to: '/history', search: { filter: 'failed' } }),
    },
    {
      id: 'history-repaired',
      label: 'Repaired requests',
      keywords: ['history', 'repairs'],
      leftSection: <IconHistory {...ICON} />,
      onClick: () => void navigate({ to: '/history', search: { filter: 'repaired' } }),
    },
    {
      id: 'videos-person',
      label: 'Videos that need you',
      keywords: ['unsure', 'answer'],
      leftSection: <IconMovie {...ICON} />,
      onClick: () => void navigate({ to: '/videos', search: { show: 'person' } }),
    },
  ];
}

function toKeys(to: (typeof SCREENS)[number]['to']) {
  const key = Object.entries(GO_TO_KEYS).find(([, path]) => path === to)?.[0];
  if (key === undefined) return null;
  return (
    <Group gap={4} wrap="nowrap">
      <Kbd size="xs">g</Kbd>
      <Kbd size="xs">{key}</Kbd>
    </Group>
  );
}
