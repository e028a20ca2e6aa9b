import { TextInput, Tooltip, UnstyledButton } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { type Conversation, ConversationTitle } from '../../../../shared/chat/chat.ts';
import { useClipped } from '../../../hooks/use-clipped.ts';
import { isComposing } from '../../../hooks/keyboard/is-composing.ts';
import { toMessage } from '../../../format/errors.ts';
import classes from './head.module.css';
import { displayTitle } from './display-title.ts';
import { useRename } from './use-rename.ts';

interface ConversationNameProps {
  /** `null` for a new conversation, whose title comes from its first message. */
  readonly conversation: Conversation | null;
}

/** Shows the title of a conversation; a click edits it. */
export function ConversationName({ conversation }: ConversationNameProps) {
  const [naming, setNaming] = useState(false);
  const title = displayTitle(conversation);
  const { clipped, measuring } = useClipped(`.${classes['nameText']}`);
  if (conversation === null) return <h2 className={classes['name']}>{title}</h2>;
  if (naming) return <NameInput conversation={conversation} onDone={() => setNaming(false)} />;
  return (
    <h2 className={classes['name']}>
      <Tooltip label={clipped ? `Rename “${title}”` : 'Rename'} position="bottom-start">
        <UnstyledButton
          className={classes['nameButton']}
          aria-label={`${title}, rename`}
          onClick={() => setNaming(true)}
          {...measuring}
        >
          <span className={classes['nameText']}>{title}</span>
        </UnstyledButton>
      </Tooltip>
    </h2>
  );
}

interface NameInputProps {
  readonly conversation: Conversation;
  readonly onDone: () => void;
}

function NameInput({ conversation, onDone }: NameInputProps) {
  const [title, setTitle] = useState(conversation.title);
  const [problem, setProblem] = useState<string | null>(null);
  const { rename } = useRename(conversation.id);
  const save = (): void => {
    const read = ConversationTitle.safeParse(title);
    if (!read.success) return setProblem(read.error.issues[0]?.message ?? null);
    if (read.data === conversation.title) return onDone();
    rename(read.data).then(onDone, (error: unknown) => setProblem(toMessage(error)));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && !isComposing(event)) save();
    if (event.key !== 'Escape') return;
    // Escape belongs to this input and must not stop an answer.
    event.preventDefault();
    onDone();
  };
  return (
    <TextInput
      size="xs"
      className={classes['nameInput'] ?? ''}
      aria-label="Conversation name"
      autoComplete="off"
      autoFocus
      value={title}
      error={problem}
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => {
        setTitle(event.currentTarget.value);
        setProblem(null);
      }}
      onKeyDown={onKeyDown}
      onBlur={() => (problem === null ? save() : onDone())}
    />
  );
}
