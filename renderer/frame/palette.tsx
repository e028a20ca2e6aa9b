import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { Spotlight, type SpotlightActionData } from '@mantine/spotlight';
import {
  IconBox,
  IconCopy,
  IconHistory,
  IconHome,
  IconMoon,
  IconPlugConnected,
  IconSearch,
  IconSettings,
  IconSun,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useCalls } from '../client/client.ts';

const ICON = { size: 18, stroke: 1.6 };
const MOST_MODELS = 500;

/** Everything by name: screens, addresses, models, the appearance, and the history searched for what was typed. */
export function Palette() {
  const [query, setQuery] = useState('');
  const actions = [
    ...useScreens(),
    ...useAddresses(),
    ...useAppearance(),
    ...useModels(),
    ...useSearch(query),
  ];
  return (
    <Spotlight
      actions={actions}
      query={query}
      onQueryChange={setQuery}
      attributes={{ content: { 'aria-label': 'Go to' } }}
      shortcut="mod + K"
      nothingFound="Nothing is called that."
      highlightQuery
      scrollable
      maxHeight={420}
      limit={12}
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
      label: 'History: what failed',
      leftSection: <IconHistory {...ICON} />,
      onClick: () => void navigate({ to: '/history', search: { outcome: 'failed' } }),
    },
    {
      id: 'repaired',
      label: 'History: what was repaired',
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

function useCopying(): (text: string) => void {
  const { copy } = useClipboard();
  return (text) => {
    copy(text);
    notifications.show({ message: `Copied ${text}` });
  };
}

function useAddresses(): SpotlightActionData[] {
  const { data } = useQuery(useCalls().status.get.queryOptions());
  const copy = useCopying();
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
      label: 'Appearance of the system',
      keywords: ['theme', 'auto'],
      leftSection: <IconSun {...ICON} />,
      onClick: () => setColorScheme('auto'),
    },
  ];
}

function useModels(): SpotlightActionData[] {
  const { data } = useQuery(useCalls().models.list.queryOptions());
  const copy = useCopying();
  return (data?.models ?? []).slice(0, MOST_MODELS).map(({ model }) => ({
    id: `model-${model.id}`,
    label: model.id,
    description: 'Copy this model id',
    leftSection: <IconBox {...ICON} />,
    onClick: () => copy(model.id),
  }));
}

/** The history, searched for what was typed: always found, whatever was typed. */
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
