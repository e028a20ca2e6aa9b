import {
  IconBookmark,
  IconBox,
  IconCopy,
  IconHistory,
  IconMessage,
  IconMovie,
  IconPlug,
  IconPlugConnected,
  IconSearch,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { parseFilter } from '../../shared/filter-language/parse.ts';
import { printWords } from '../../shared/filter-language/print-filter.ts';
import { useCalls } from '../api/client.ts';
import { useCurrentModelList } from '../api/use-model-list.ts';
import { usePrograms } from '../client-setup/connect/use-programs.ts';
import { shortPrompt } from '../format/video-state.ts';
import { copyText } from './copy-text.ts';
import { ICON } from './icon.ts';
import { type PaletteAction, toWords } from './rank-actions.ts';

/** Maximum number of models and conversations that are found; typing more of a name finds the others. */
const MAX_FOUND = 8;
const MAX_FIND_LENGTH = 200;

const EXCHANGE_ID = /^ex-[0-9a-f]{16}$/u;

/** Fetches the models only while the palette is open: the list may be long, and it changes with every request. */
export function useModelActions(isOpen: boolean, query: string): PaletteAction[] {
  const list = useCurrentModelList(isOpen);
  const navigate = useNavigate();
  const words = query
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => !MODEL_VERBS.has(word));
  if (query.trim() === '') return [];
  const ids = (list?.models ?? []).map(({ model }) => model.id);
  const found = ids.filter((id) => words.every((word) => id.toLowerCase().includes(word)));
  return found.slice(0, MAX_FOUND).flatMap((id) => [
    {
      id: `chat-${id}`,
      label: `Chat with ${id}`,
      leftSection: <IconMessage {...ICON} />,
      onClick: () => void navigate({ to: '/chat', search: { model: id } }),
    },
    {
      id: `model-${id}`,
      label: `Open ${id}`,
      leftSection: <IconBox {...ICON} />,
      onClick: () => void navigate({ to: '/models', search: { model: id } }),
    },
    {
      id: `copy-${id}`,
      label: `Copy ${id}`,
      leftSection: <IconCopy {...ICON} />,
      onClick: () => copyText(id),
    },
  ]);
}

/** The words of the labels above, which may be typed before a name. */
const MODEL_VERBS = new Set(['', 'chat', 'with', 'open', 'copy']);

/** Opens a client's details, also those of a revoked one. */
export function useClientActions(isOpen: boolean): PaletteAction[] {
  const { data = [] } = useQuery(useCalls().clients.list.queryOptions({ enabled: isOpen }));
  const navigate = useNavigate();
  return data.map(({ id, name, revokedAt }) => ({
    id: `client-${id}`,
    label: name,
    description: revokedAt === null ? 'Client: its limits, models and settings' : 'Revoked',
    keywords: ['client', 'limit', 'budget', 'models', 'stop'],
    leftSection: <IconPlugConnected {...ICON} />,
    onClick: () => void navigate({ to: '/clients', search: { client: id } }),
  }));
}

/** Connects a program of this machine, or opens its client. */
export function useProgramActions(isOpen: boolean): PaletteAction[] {
  const { data = [] } = usePrograms(isOpen);
  const navigate = useNavigate();
  const found = data.filter(({ foundAt }) => foundAt !== null);
  return found.map(({ id, name, connection }) => ({
    id: `program-${id}`,
    label: connection === null ? `Connect ${name}` : `Open the connection of ${name}`,
    description:
      connection === null ? 'Found on this machine' : `Client: ${connection.client.name}`,
    keywords: ['program', 'agent', 'client'],
    leftSection: <IconPlug {...ICON} />,
    onClick: () =>
      void navigate({
        to: '/clients',
        search:
          connection === null ? { connect: true, program: id } : { client: connection.client.id },
      }),
  }));
}

/** Opens a conversation whose title or messages contain the query. */
export function useConversationActions(isOpen: boolean, query: string): PaletteAction[] {
  const find = query.trim().slice(0, MAX_FIND_LENGTH);
  const input = { find, limit: MAX_FOUND };
  const enabled = isOpen && find !== '';
  const { data } = useQuery(useCalls().chat.page.queryOptions({ input, enabled }));
  const navigate = useNavigate();
  if (!enabled) return [];
  return (data?.conversations ?? []).map(({ id, title }) => ({
    id: `conversation-${id}`,
    label: title,
    // The engine found it, perhaps by a word of a message.
    keywords: toWords(find),
    leftSection: <IconMessage {...ICON} />,
    onClick: () => void navigate({ to: '/chat', search: { c: id } }),
  }));
}

/** Opens a video whose prompt contains the query. */
export function useVideoActions(isOpen: boolean, query: string): PaletteAction[] {
  const text = query.trim().slice(0, MAX_FIND_LENGTH);
  const input = { filter: { text }, limit: MAX_FOUND };
  const enabled = isOpen && text !== '';
  const { data } = useQuery(useCalls().videos.page.queryOptions({ input, enabled }));
  const navigate = useNavigate();
  if (!enabled) return [];
  return (data?.jobs ?? []).map((job) => ({
    id: `video-${job.id}`,
    label: shortPrompt(job),
    // The engine found it, perhaps by a word that the short form lacks.
    keywords: toWords(text),
    leftSection: <IconMovie {...ICON} />,
    onClick: () => void navigate({ to: '/videos', search: { video: job.id } }),
  }));
}

/** Opens an exchange by its id, and searches the history for the query. */
export function useHistoryActions(query: string): PaletteAction[] {
  const navigate = useNavigate();
  const text = query.trim();
  if (text === '') return [];
  const search = {
    id: 'search-history',
    label: `Search the history for “${text}”`,
    leftSection: <IconSearch {...ICON} />,
    onClick: () => void navigate({ to: '/history', search: { filter: toFilterText(text) } }),
  };
  if (!EXCHANGE_ID.test(text)) return [search];
  const open = {
    id: 'open-exchange',
    label: `Open request ${text}`,
    leftSection: <IconHistory {...ICON} />,
    onClick: () => void navigate({ to: '/history', search: { exchange: text } }),
  };
  return [open, search];
}

/** Takes a text for a filter if it is one, and otherwise for words to search for. */
function toFilterText(text: string): string {
  return parseFilter(text).errors.length === 0 ? text : printWords(text);
}

/** Shows the history with a saved filter. */
export function useSavedFilterActions(isOpen: boolean): PaletteAction[] {
  const { data = [] } = useQuery(useCalls().history.filters.list.queryOptions({ enabled: isOpen }));
  const navigate = useNavigate();
  return data.map(({ name, text }) => ({
    id: `filter-${name}`,
    label: name,
    description: text,
    keywords: ['history', 'filter'],
    leftSection: <IconBookmark {...ICON} />,
    onClick: () => void navigate({ to: '/history', search: { filter: text } }),
  }));
}
