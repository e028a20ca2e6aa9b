import { ActionIcon, Loader, Menu, Tooltip, UnstyledButton } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { KeyboardEvent } from 'react';
import type { ConversationSummary } from '../../../../shared/chat/chat.ts';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { TruncatedText } from '../../../components/truncated-text.tsx';
import type { RowProps } from '../../../hooks/keyboard/use-list-keys.ts';
import { ConversationItems } from '../head/conversation-items.tsx';
import { displayTitle } from '../head/display-title.ts';
import { useListActions } from '../head/use-list-actions.tsx';
import classes from './list.module.css';
import { splitMatches } from './split-matches.ts';

interface ConversationItemProps {
  readonly conversation: ConversationSummary;
  readonly find: string;
  readonly chosen: boolean;
  readonly row: RowProps;
  readonly onChoose: () => void;
  readonly onGone: () => void;
}

/** One conversation of the list with its menu. */
export function ConversationItem(line: ConversationItemProps) {
  const { conversation, find, chosen, row, onChoose, onGone } = line;
  const { id, match, running, models, changedAt } = conversation;
  const title = displayTitle(conversation);
  const acts = useListActions({ id, title, onGone });
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    if (key === 'F2') acts.rename();
    if (key === 'Delete') acts.remove();
  };
  return (
    <div className={classes['line']} data-chosen={chosen || undefined}>
      <UnstyledButton
        className={classes['open']}
        aria-current={chosen || undefined}
        aria-keyshortcuts="F2 Delete"
        onClick={onChoose}
        onKeyDown={onKeyDown}
        {...row}
      >
        <TruncatedText text={title} className={classes['title']}>
          <Highlighted text={title} find={find} />
        </TruncatedText>
        <span className={classes['details']}>
          {running && <Answering />}
          <TruncatedText text={models.join(', ')} className={classes['models']}>
            {models.map(shortId).join(', ')}
          </TruncatedText>
          <RelativeTime at={changedAt} />
        </span>
        {match !== null && (
          <span className={classes['excerpt']}>
            <Highlighted text={match.excerpt} find={find} />
          </span>
        )}
      </UnstyledButton>
      <Menu position="bottom-end" shadow="md" withinPortal>
        <Menu.Target>
          <Tooltip label="More">
            <ActionIcon
              className={classes['menuButton'] ?? ''}
              variant="subtle"
              color="gray"
              size="sm"
              tabIndex={row.tabIndex}
              aria-label={`More about ${title}`}
            >
              <IconDots size={16} />
            </ActionIcon>
          </Tooltip>
        </Menu.Target>
        <Menu.Dropdown>
          <ConversationItems acts={acts} keys />
        </Menu.Dropdown>
      </Menu>
      {acts.dialogs}
    </div>
  );
}

function Answering() {
  return (
    <Tooltip label="An answer is arriving">
      <Loader size={11} type="dots" aria-label="An answer is arriving" role="img" />
    </Tooltip>
  );
}

/** Returns a model id without its provider. */
function shortId(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1);
}

export interface HighlightedProps {
  readonly text: string;
  readonly find: string;
}

/** Shows a text with the search matches highlighted. */
function Highlighted({ text, find }: HighlightedProps) {
  return splitMatches(text, find).map((mark, index) =>
    mark.found ? (
      <mark key={index} className={classes['match']}>
        {mark.text}
      </mark>
    ) : (
      mark.text
    ),
  );
}
