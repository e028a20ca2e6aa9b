import { ActionIcon, Textarea, Tooltip } from '@mantine/core';
import { IconArrowUp, IconPlayerStopFilled } from '@tabler/icons-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import type { Said } from '../../../../shared/chat.ts';
import { sayFailed } from '../../../parts/said.ts';

interface ComposerProps {
  /** Names the draft that is kept: the id of a conversation, `new` or `quick`. */
  readonly draft: string;
  /** Who will be asked. */
  readonly models: readonly string[];
  readonly imagesAnyway: boolean;
  readonly onImagesAnyway: () => void;
  /** Whether an answer is on its way. */
  readonly running: boolean;
  /** What was written stays when it rejects. */
  readonly onSend: (said: Said) => Promise<void>;
  readonly onStop: () => void;
  readonly onEditLast: () => void;
  readonly autoFocus?: boolean;
  /** Put into the input, which gets the focus, whenever another object is given. */
  readonly suggestion?: { readonly text: string } | undefined;
}

/** Where a person writes. */
export function Composer(props: ComposerProps) {
  const { draft } = props;
  return <Writing key={draft} {...props} />;
}

function Writing({
  models,
  running,
  onSend,
  onStop,
  onEditLast,
  autoFocus = false,
  suggestion,
}: ComposerProps) {
  const [text, setText] = useState('');
  const [seen, setSeen] = useState(suggestion);
  if (seen !== suggestion) {
    setSeen(suggestion);
    setText(suggestion?.text ?? '');
  }
  const sending = useRef(false);
  const ready = text.trim() !== '' && models.every((model) => model !== '');
  const send = async (): Promise<void> => {
    if (sending.current || !ready) return;
    sending.current = true;
    try {
      await onSend({ text, files: [] });
      setText('');
    } catch (error) {
      sayFailed('It was not sent.', error);
    } finally {
      sending.current = false;
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      if (!running) void send();
    } else if (event.key === 'ArrowUp' && text === '') {
      event.preventDefault();
      onEditLast();
    } else if (event.key === 'Escape' && running) onStop();
  };
  return (
    <Textarea
      aria-label="Message"
      placeholder="Ask something"
      autosize
      minRows={1}
      maxRows={12}
      autoFocus={autoFocus}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={onKeyDown}
      rightSection={
        <SendButton
          running={running}
          ready={ready}
          onClick={() => (running ? onStop() : void send())}
        />
      }
    />
  );
}

interface SendButtonProps {
  readonly running: boolean;
  readonly ready: boolean;
  readonly onClick: () => void;
}

function SendButton({ running, ready, onClick }: SendButtonProps) {
  const label = running ? 'Stop' : 'Send';
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} disabled={!running && !ready} onClick={onClick}>
        {running ? <IconPlayerStopFilled size={16} /> : <IconArrowUp size={16} />}
      </ActionIcon>
    </Tooltip>
  );
}
