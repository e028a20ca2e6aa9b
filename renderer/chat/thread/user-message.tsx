import { ActionIcon, Tooltip, Anchor } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { memo, useState } from 'react';
import type { ChatMessage } from '../../../shared/chat/chat.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { useMessages } from '../store/use-conversation-store.ts';
import { EditMessage } from './edit-message.tsx';
import { Files } from './files.tsx';
import { useThread } from './thread-context.ts';
import { VersionPager } from './version-pager.tsx';
import type { Row } from './rows.ts';

import classes from './user-message.module.css';
import thread from './thread.module.css';
import { toVersions } from './versions.ts';
import { pluralize } from '../../../shared/format.ts';

/** Shows a message of a person: once, when it is the same in all lanes. */
export const UserMessageRow = memo(function UserMessageRow({
  row: { cells, shared },
}: {
  readonly row: Row;
}) {
  const { chat, conversation } = useThread();
  const messages = useMessages(
    chat,
    cells.map(({ id }) => id),
  );
  const loaded = messages.filter((message) => message !== undefined);
  const [first] = loaded;
  if (first === undefined || loaded.length < cells.length) return null;
  const every = conversation.lanes.map((_, lane) => ({ lane, message: first }));
  if (shared) return <UserMessageView places={every} />;
  const places = loaded.map((message, at) => ({ lane: cells[at]?.lane ?? 0, message }));
  const same = loaded.every((message) => isSame(message, first)) && loaded.length > 1;
  if (same) return <UserMessageView places={places} />;
  return (
    <div className={thread['columns']} data-columns={conversation.lanes.length}>
      {places.map((place) => (
        <div key={place.lane} className={thread['cell']} data-lane={place.lane}>
          <UserMessageView places={[place]} />
        </div>
      ))}
    </div>
  );
});

function isSame(one: ChatMessage, other: ChatMessage): boolean {
  return (
    one.text === other.text &&
    (one.files.length === 0 && other.files.length === 0
      ? true
      : JSON.stringify(one.files) === JSON.stringify(other.files))
  );
}

interface Place {
  readonly lane: number;
  readonly message: ChatMessage;
}

interface UserMessageViewProps {
  /** The copies of the message, one per lane. */
  readonly places: readonly Place[];
}

function UserMessageView({ places }: UserMessageViewProps) {
  const { actions, editing } = useThread();
  const message = places[0]?.message;
  if (message === undefined) return null;
  const ids = [...new Set(places.map((place) => place.message.id))];
  const { text, files } = message;
  if (editing.message !== null && ids.includes(editing.message)) {
    return <EditMessage ids={ids} text={text} files={files} />;
  }
  const versions = toVersions(message, NONE);
  const page = (by: number): void => {
    actions.show(
      places.flatMap(({ lane, message: { id, siblings } }) => {
        const other = siblings[siblings.indexOf(id) + by];
        return other === undefined ? [] : [{ lane, message: other }];
      }),
    );
  };
  return (
    <article className={classes['userMessage']} aria-label="You">
      <div className={classes['bubble']}>
        <Files files={files} />
        {text !== '' && <UserText text={text} />}
      </div>
      <div className={thread['actions']}>
        {versions !== null && (
          <VersionPager at={versions.at} of={versions.ids.length} onPage={page} />
        )}
        {text !== '' && <CopyButton value={text} what="your message" />}
        <Tooltip label="Edit and resend">
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label="Edit and resend"
            onClick={() => editing.edit(message.id)}
          >
            <IconPencil size={15} />
          </ActionIcon>
        </Tooltip>
      </div>
    </article>
  );
}

const NONE: ReadonlySet<ChatMessage['id']> = new Set();

/** Maximum length that is shown: a person who pastes a whole file wants to read the answer, not the file. */
const MAX_SHOWN = 4_000;

const BEGINNING = 2_000;

/** Shows a message of a person verbatim; only its beginning when it is very long. */
function UserText({ text }: { readonly text: string }) {
  const [expanded, setWhole] = useState(false);
  const isLong = text.length > MAX_SHOWN;
  return (
    <div className={classes['text']}>
      {isLong && !expanded ? `${text.slice(0, BEGINNING)}…` : text}
      {isLong && (
        <div>
          <Anchor component="button" type="button" size="sm" onClick={() => setWhole(!expanded)}>
            {expanded ? 'Show less' : `Show all ${pluralize(text.length, 'character')}`}
          </Anchor>
        </div>
      )}
    </div>
  );
}
