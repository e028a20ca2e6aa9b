import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import {
  IconCopy,
  IconDeviceDesktop,
  IconKeyboard,
  IconMessage,
  IconMoon,
  IconMovie,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlug,
  IconPlus,
  IconSun,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCalls } from '../api/client.ts';
import { usePauseState } from '../hooks/use-pause-state.ts';
import { copyText } from './copy-text.ts';
import { ICON } from './icon.ts';
import type { PaletteAction } from './rank-actions.ts';

/** Returns the actions that begin, change or explain something. */
export function useControlActions(onKeyHelp: () => void): PaletteAction[] {
  return [
    ...useCreateActions(),
    ...usePauseActions(),
    ...useAppearanceActions(),
    ...useAddressActions(),
    {
      id: 'keyboard',
      label: 'Keyboard shortcuts',
      keywords: ['keys', 'help'],
      leftSection: <IconKeyboard {...ICON} />,
      onClick: onKeyHelp,
    },
  ];
}

function useCreateActions(): PaletteAction[] {
  const navigate = useNavigate();
  return [
    {
      id: 'new-chat',
      label: 'New conversation',
      keywords: ['chat', 'ask', 'compare'],
      leftSection: <IconMessage {...ICON} />,
      onClick: () => void navigate({ to: '/chat', search: {} }),
    },
    {
      id: 'new-video',
      label: 'New video',
      keywords: ['image', 'prompt', 'render'],
      leftSection: <IconMovie {...ICON} />,
      onClick: () => void navigate({ to: '/videos/new' }),
    },
    {
      id: 'connect',
      label: 'Connect a program',
      keywords: ['client', 'agent', 'settings'],
      leftSection: <IconPlug {...ICON} />,
      onClick: () => void navigate({ to: '/clients', search: { connect: true } }),
    },
    {
      id: 'add-client',
      label: 'Add a client',
      keywords: ['local key', 'api key', 'connect', 'program'],
      leftSection: <IconPlus {...ICON} />,
      onClick: () => void navigate({ to: '/clients', search: { add: true } }),
    },
    {
      id: 'add-service',
      label: 'Add a service',
      description: 'In Settings',
      keywords: ['service key', 'api key', 'upstream', 'account'],
      leftSection: <IconPlus {...ICON} />,
      onClick: () => void navigate({ to: '/settings', search: { setting: 'Services' } }),
    },
  ];
}

function usePauseActions(): PaletteAction[] {
  const { paused, pause, resume } = usePauseState();
  return [
    paused
      ? {
          id: 'resume',
          label: 'Resume',
          description: 'Accept new requests again',
          leftSection: <IconPlayerPlay {...ICON} />,
          onClick: resume,
        }
      : {
          id: 'pause',
          label: 'Pause',
          description: 'Refuse new requests; those in progress finish',
          keywords: ['stop'],
          leftSection: <IconPlayerPause {...ICON} />,
          onClick: pause,
        },
  ];
}

function useAppearanceActions(): PaletteAction[] {
  const { setColorScheme } = useMantineColorScheme();
  const isLight = useComputedColorScheme('light') === 'light';
  const dark = {
    id: 'appearance-dark',
    label: 'Theme: dark',
    keywords: ['appearance', 'mode'],
    leftSection: <IconMoon {...ICON} />,
    onClick: () => setColorScheme('dark'),
  };
  const light = {
    id: 'appearance-light',
    label: 'Theme: light',
    keywords: ['appearance', 'mode'],
    leftSection: <IconSun {...ICON} />,
    onClick: () => setColorScheme('light'),
  };
  return [
    ...(isLight ? [dark, light] : [light, dark]),
    {
      id: 'appearance-auto',
      label: 'Theme: as the system',
      keywords: ['appearance', 'auto'],
      leftSection: <IconDeviceDesktop {...ICON} />,
      onClick: () => setColorScheme('auto'),
    },
  ];
}

function useAddressActions(): PaletteAction[] {
  const { data } = useQuery(useCalls().status.get.queryOptions());
  if (data === undefined) return [];
  const { chat, messages } = data.baseUrls;
  return [
    {
      id: 'copy-chat',
      label: 'Copy the base address for Chat Completions and Responses',
      description: chat,
      leftSection: <IconCopy {...ICON} />,
      onClick: () => copyText(chat),
    },
    {
      id: 'copy-messages',
      label: 'Copy the base address for Messages',
      description: messages,
      leftSection: <IconCopy {...ICON} />,
      onClick: () => copyText(messages),
    },
  ];
}
