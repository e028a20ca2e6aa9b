import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { Spotlight, type SpotlightActionData } from '@mantine/spotlight';
import {
  IconBox,
  IconCopy,
  IconHistory,
  IconHome,
  IconMessage,
  IconMoon,
  IconMovie,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlugConnected,
  IconSearch,
  IconSettings,
  IconSun,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useCalls } from '../api/client.ts';
import { toastSuccess, toastMessage } from '../hooks/toast.ts';
import { usePauseState } from './use-pause-state.ts';

const ICON = { size: 18, stroke: 1.6 };
/** Maximum number of models that match; typing more of a name finds the others. */
const MAX_MODELS = 10;
const MAX_SHOWN = 30;

/** Opens everything by name: screens, addresses, models, the appearance, and a history search for the typed text. */
export function CommandPalette() {
  const [query, setQuery] = useState('');
  const [opened, setOpened] = useState(false);
  const actions = [
    ...useScreens(),
    ...useChatScreen(),
    ...useVideoScreens(),
    ...useAddresses(),
    ...usePause(),
    ...useAppearance(),
    ...useModels(opened, query),
    ...useSearch(query),
  ];
  return (
    <Spotlight
      actions={actions}
      query={query}
      onQueryChange={setQuery}
      onSpotlightOpen={() => setOpened(true)}
      onSpotlightClose={() => setOpened(false)}
      attributes={{ content: { 'aria-label': 'Go to' } }}
      shortcut="mod + K"
      // Also while a filter has the focus.
      tagsToIgnore={[]}
      nothingFound="No results."
      highlightQuery
      scrollable
      maxHeight={420}
      limit={MAX_SHOWN}
      searchProps={{
        leftSection: <IconSearch {...ICON} />,
        placeholder: 'Go to a screen, copy a model…',
        'aria-label': 'Go to',
      }}
    />
  );
}

function useScreens(): SpotlightActionData[] {
  const navigate = useNavigate();
  return [
    {
      id: 'home',
      label: 'Home',
      leftSection: <IconHome {...ICON} />,
      onClick: () => void navigate({ to: '/' }),
    },
    {
      id: 'models',
      label: 'Models',
      leftSection: <IconBox {...ICON} />,
      onClick: () => void navigate({ to: '/models' }),
    },
    {
      id: 'history',
      label: 'History',
      leftSection: <IconHistory {...ICON} />,
      onClick: () => void navigate({ to: '/history' }),
    },
    {
      id: 'failed',
      label: 'History: failed requests',
      leftSection: <IconHistory {...ICON} />,
      onClick: () => void navigate({ to: '/history', search: { outcome: 'failed' } }),
    },
    {
      id: 'repaired',
      label: 'History: repaired requests',
      leftSection: <IconHistory {...ICON} />,
      onClick: () => void navigate({ to: '/history', search: { repaired: true } }),
    },
    {
      id: 'clients',
      label: 'Clients',
      keywords: ['local key', 'add', 'revoke'],
      leftSection: <IconPlugConnected {...ICON} />,
      onClick: () => void navigate({ to: '/clients' }),
    },
    {
      id: 'settings',
      label: 'Settings',
      keywords: ['upstream', 'service key', 'port', 'retention', 'diagnostics'],
      leftSection: <IconSettings {...ICON} />,
      onClick: () => void navigate({ to: '/settings' }),
    },
    {
      id: 'welcome',
      label: 'First steps',
      leftSection: <IconHome {...ICON} />,
      onClick: () => void navigate({ to: '/welcome' }),
    },
  ];
}

function useChatScreen(): SpotlightActionData[] {
  const navigate = useNavigate();
  return [
    {
      id: 'chat',
      label: 'Chat: new conversation',
      keywords: ['ask', 'compare', 'model'],
      leftSection: <IconMessage {...ICON} />,
      onClick: () => void navigate({ to: '/chat', search: {} }),
    },
  ];
}

function useVideoScreens(): SpotlightActionData[] {
  const navigate = useNavigate();
  return [
    {
      id: 'videos',
      label: 'Videos',
      leftSection: <IconMovie {...ICON} />,
      onClick: () => void navigate({ to: '/videos' }),
    },
    {
      id: 'new-video',
      label: 'New video',
      keywords: ['image', 'prompt', 'render'],
      leftSection: <IconMovie {...ICON} />,
      onClick: () => void navigate({ to: '/videos/new' }),
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

function copy(text: string): void {
  navigator.clipboard.writeText(text).then(
    () => toastSuccess(`Copied ${text}`),
    () => toastMessage('Could not copy', 'This window has no access to the clipboard.'),
  );
}

function useAddresses(): SpotlightActionData[] {
  const { data } = useQuery(useCalls().status.get.queryOptions());
  if (data === undefined) return [];
  const { chat, messages } = data.baseUrls;
  return [
    {
      id: 'copy-chat',
      label: 'Copy the base address for Chat Completions and Responses',
      description: chat,
      leftSection: <IconCopy {...ICON} />,
      onClick: () => copy(chat),
    },
    {
      id: 'copy-messages',
      label: 'Copy the base address for Messages',
      description: messages,
      leftSection: <IconCopy {...ICON} />,
      onClick: () => copy(messages),
    },
  ];
}

function usePause(): SpotlightActionData[] {
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
          leftSection: <IconPlayerPause {...ICON} />,
          onClick: pause,
        },
  ];
}

function useAppearance(): SpotlightActionData[] {
  const { setColorScheme } = useMantineColorScheme();
  const light = useComputedColorScheme('light') === 'light';
  return [
    {
      id: 'appearance',
      label: light ? 'Dark appearance' : 'Light appearance',
      keywords: ['theme', 'appearance'],
      leftSection: light ? <IconMoon {...ICON} /> : <IconSun {...ICON} />,
      onClick: () => setColorScheme(light ? 'dark' : 'light'),
    },
    {
      id: 'appearance-auto',
      label: 'System appearance',
      keywords: ['theme', 'auto'],
      leftSection: <IconSun {...ICON} />,
      onClick: () => setColorScheme('auto'),
    },
  ];
}

/** Fetches the list only while the palette is open: it may be long, and it changes with every request. */
function useModels(enabled: boolean, query: string): SpotlightActionData[] {
  const { data } = useQuery(useCalls().models.list.queryOptions({ enabled }));
  const wanted = query.trim().toLowerCase();
  const matches = data?.models.filter(({ model }) => model.id.toLowerCase().includes(wanted)) ?? [];
  return matches.slice(0, MAX_MODELS).map(({ model }) => ({
    id: `model-${model.id}`,
    label: model.id,
    description: 'Copy this model id',
    leftSection: <IconBox {...ICON} />,
    onClick: () => copy(model.id),
  }));
}

/** The action that searches the history for the typed text; it always matches. */
function useSearch(query: string): SpotlightActionData[] {
  const navigate = useNavigate();
  const text = query.trim();
  if (text === '') return [];
  return [
    {
      id: 'search-history',
      label: `Search the history for “${text}”`,
      leftSection: <IconSearch {...ICON} />,
      onClick: () => void navigate({ to: '/history', search: { text } }),
    },
  ];
}
