import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { IconPencilPlus } from '@tabler/icons-react';
import { useMemo, useRef, useState } from 'react';
import type { ConversationId, MessageId } from '../../../../shared/chat/chat.ts';
import { ErrorState } from '../../../components/states/error-state.tsx';
import { FilterInput } from '../../../components/inputs/filter-input.tsx';
import { useToday } from '../../../hooks/use-today.ts';
import { ConversationItems, type ItemsHandle } from './conversation-items.tsx';
import { groupByTime } from './group-by-time.ts';
import classes from './list.module.css';
import { usePages } from './pages.ts';

interface ConversationListProps {
  readonly chosen: ConversationId | undefined;
  /** `at`: the message in which the search words were found. */
  readonly onChoose: (id: ConversationId, at?: MessageId) => void;
  readonly onNew: () => void;
  /** Called when the conversation was deleted. */
  readonly onGone: (id: ConversationId) => void;
}

/** Lists the conversations, latest first, with a full text search. */
export function ConversationList({ chosen, onChoose, onNew, onGone }: ConversationListProps) {
  const [find, setFind] = useState('');
  const query = find.trim();
  const { conversations, stale, error, loadMore, retry } = usePages(query);
  const lines = useRef<ItemsHandle>(null);
  const day = useToday();
  const shown = useMemo(() => groupByTime(conversations ?? [], day), [conversations, day]);
  return (
    <div className={classes['list']}>
      <div className={classes['top']}>
        <Button
          fullWidth
          size="sm"
          variant="default"
          leftSection={<IconPencilPlus size={16} stroke={1.7} aria-hidden />}
          onClick={onNew}
        >
          New conversation
        </Button>
        <FilterInput
          small
          label="Find conversations"
          placeholder="Find in conversations"
          value={find}
          onChange={setFind}
          onLeave={() => lines.current?.focusFirst()}
        />
      </div>
      {error !== null && conversations === undefined && (
        <div className={classes['notice']}>
          <ErrorState title="Could not load the conversations." error={error} onRetry={retry} />
        </div>
      )}
      {conversations === undefined && error === null && <Loading />}
      {conversations?.length === 0 && (
        <Nothing find={stale ? '' : query} onAll={() => setFind('')} />
      )}
      {shown.length > 0 && (
        <ConversationItems
          ref={lines}
          lines={shown}
          find={query}
          stale={stale}
          chosen={chosen}
          onChoose={({ id, match }) => onChoose(id, match?.message)}
          onGone={onGone}
          onEnd={loadMore}
        />
      )}
    </div>
  );
}

interface NothingProps {
  readonly find: string;
  readonly onAll: () => void;
}

function Nothing({ find, onAll }: NothingProps) {
  return (
    <Stack gap="xs" align="flex-start" className={classes['notice'] ?? ''} role="status">
      <Text size="sm" c="dimmed">
        {find === ''
          ? 'No conversations yet. They are stored on this machine only, until you delete them.'
          : `No conversation contains “${find}”.`}
      </Text>
      {find !== '' && (
        <Button variant="default" size="compact-sm" onClick={onAll}>
          Show all
        </Button>
      )}
    </Stack>
  );
}

const ROWS = Array.from({ length: 8 }, (_, row) => row);

function Loading() {
  return (
    <Stack gap={10} px={12} pt={28} role="group" aria-busy aria-label="Loading the conversations">
      {ROWS.map((row) => (
        <Skeleton key={row} h={36} />
      ))}
    </Stack>
  );
}
