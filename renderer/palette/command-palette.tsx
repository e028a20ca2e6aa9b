import '@mantine/spotlight/styles.css';
import { createSpotlight, Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useControlActions } from './control-actions.tsx';
import {
  useClientActions,
  useConversationActions,
  useHistoryActions,
  useModelActions,
  useProgramActions,
  useSavedFilterActions,
  useVideoActions,
} from './found-actions.tsx';
import { ICON } from './icon.ts';
import { type PaletteAction, type PaletteGroup, rankGroups } from './rank-actions.ts';
import { listRecentIds, rememberAction } from './recent-actions.ts';
import { useScreenActions } from './screen-actions.tsx';
import { useSettingActions } from './setting-actions.tsx';
import { useServiceSwitch } from './use-service-switch.tsx';

/** Maximum number of actions of one group that are found, so that the history search after them always fits. */
const MAX_IN_GROUP = 12;
const MAX_SHOWN = 100;

const [store, spotlight] = createSpotlight();

/** Opens the palette where it is loaded already. Returns whether it was closed. */
export function openPalette(): boolean {
  const wasClosed = !store.getState().opened;
  spotlight.open();
  return wasClosed;
}

interface CommandPaletteProps {
  /** Returns the text that was typed before the input got the focus, and ends collecting it. */
  readonly takeTyped: () => string;
  /** Opens the list of shortcuts. */
  readonly onKeyHelp: () => void;
}

/**
 * Opens everything by name: recent actions, screens, actions, settings, models, clients, conversations, videos, exchanges, and
 * last a history search for the typed text. It opens itself at first.
 */
export function CommandPalette({ takeTyped, onKeyHelp }: CommandPaletteProps) {
  const [query, setQuery] = useState('');
  const [isOpen, setOpen] = useState(false);
  useEffect(() => void openPalette(), []);
  const serviceSwitch = useServiceSwitch();
  const controls = useControlActions(onKeyHelp);
  const groups = usePaletteGroups(isOpen, query, { controls, services: serviceSwitch.actions });
  const first = groups[0]?.actions[0]?.id;
  useEffect(() => {
    // Enter runs the marked action, so one is marked from the start and whenever another becomes the first.
    if (isOpen && first !== undefined) selectFirst();
  }, [isOpen, first]);
  return (
    <>
      <Spotlight
        store={store}
        actions={groups}
        filter={(_query, actions) => actions}
        query={query}
        onQueryChange={setQuery}
        onSpotlightOpen={() => setOpen(true)}
        onSpotlightClose={() => {
          setOpen(false);
          // The library clears it only when its closing transition has ended.
          setQuery('');
        }}
        attributes={{ content: { 'aria-label': 'Go to' } }}
        // The layout has it, so that keys typed before the input has the focus are collected.
        shortcut={null}
        nothingFound="No results."
        highlightQuery
        scrollable
        maxHeight={420}
        limit={MAX_SHOWN}
        searchProps={{
          leftSection: <IconSearch {...ICON} />,
          placeholder: 'Go to a screen, a model, a setting; run an action…',
          'aria-label': 'Go to',
          onFocus: () => {
            const typed = takeTyped();
            if (typed !== '') setQuery((before) => before + typed);
          },
        }}
      />
      {serviceSwitch.dialog}
    </>
  );
}

/** Marks the first action, as the library does while somebody types. */
function selectFirst(): void {
  const { listId } = store.getState();
  if (listId === '') return;
  const [first, ...others] = document.querySelectorAll(`#${CSS.escape(listId)} [data-action]`);
  for (const other of others) other.removeAttribute('data-selected');
  first?.setAttribute('data-selected', 'true');
  store.updateState((state) => ({ ...state, selected: 0 }));
}

function usePaletteGroups(
  isOpen: boolean,
  query: string,
  { controls, services }: Record<'controls' | 'services', PaletteAction[]>,
): SpotlightActionGroupData[] {
  const models = useModelActions(isOpen, query);
  const conversations = useConversationActions(isOpen, query);
  const videos = useVideoActions(isOpen, query);
  const search = useHistoryActions(query);
  const groups: PaletteGroup[] = [
    { group: 'Go to', actions: useScreenActions() },
    { group: 'Actions', actions: controls },
    { group: 'Services', isLast: true, actions: services },
    { group: 'Clients', actions: useClientActions(isOpen) },
    { group: 'Programs', actions: useProgramActions(isOpen) },
    { group: 'Saved filters', actions: useSavedFilterActions(isOpen) },
    { group: 'Settings', actions: useSettingActions() },
  ];
  const found =
    query.trim() === ''
      ? [...listRecent(groups), ...groups.slice(0, 3)]
      : rankGroups(query, [
          ...groups,
          { group: 'Models', actions: models },
          { group: 'Conversations', actions: conversations },
          { group: 'Videos', actions: videos },
        ]).map(({ group, actions }) => ({ group, actions: actions.slice(0, MAX_IN_GROUP) }));
  const lasting = new Set(groups.flatMap(({ actions }) => actions.map(({ id }) => id)));
  return [...found, { group: 'History', actions: search }].map((group) =>
    rememberChoices(group, lasting),
  );
}

function listRecent(groups: readonly PaletteGroup[]): PaletteGroup[] {
  const all = groups.flatMap(({ actions }) => actions);
  const recent = listRecentIds().flatMap((id) => all.find((action) => action.id === id) ?? []);
  if (recent.length === 0) return [];
  return [{ group: 'Recent', actions: recent.map((one) => ({ ...one, id: `recent-${one.id}` })) }];
}

/** Remembers the choice of an action that exists for any query. */
function rememberChoices(
  { group, actions }: PaletteGroup,
  lasting: ReadonlySet<string>,
): SpotlightActionGroupData {
  return {
    group,
    actions: actions.map((action) => ({
      ...action,
      onClick: (event) => {
        const id = action.id.replace(/^recent-/u, '');
        if (lasting.has(id)) rememberAction(id);
        action.onClick?.(event);
      },
    })),
  };
}
