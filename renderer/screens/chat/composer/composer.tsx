import { Button, Group, Text, Textarea } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import type { Said } from '../../../../shared/chat.ts';
import { sentenceOf } from '../../../parts/problem.ts';

interface ComposerProps {
  /** Names the kept draft: a conversation's id, `new`, or `quick`. */
  readonly draft: string;
  readonly models: readonly string[];
  readonly imagesAnyway: boolean;
  readonly onImagesAnyway: () => void;
  readonly running: boolean;
  /** The draft stays when it rejects. */
  readonly onSend: (said: Said) => Promise<void>;
  readonly onStop: () => void;
  readonly onEditLast: () => void;
  readonly autoFocus?: boolean;
  /** Put into the input, which gets the focus, whenever another object is given. */
  readonly suggestion?: { readonly text: string } | undefined;
}

/** Where a person writes. */
export function Composer(props: ComposerProps) {
  const { suggestion, running, onSend, onStop, onEditLast, autoFocus = false } = props;
  const [text, setText] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [seen, setSeen] = useState(suggestion);
  if (seen !== suggestion) {
    setSeen(suggestion);
    setText(suggestion?.text ?? '');
  }
  const send = async (): Promise<void> => {
    try {
      await onSend({ text, files: [] });
      setText('');
      setError(null);
    } catch (problem) {
      setError(problem);
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      void send();
    }
    if (event.key === 'ArrowUp' && text === '') onEditLast();
    if (event.key === 'Escape' && running) onStop();
  };
  return (
    <Group p="xs" align="flex-end" wrap="nowrap">
      <Textarea
        flex={1}
        autosize
        maxRows={10}
        autoFocus={autoFocus}
        aria-label="Message"
        placeholder="Ask anything"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <Button onClick={() => (running ? onStop() : void send())}>
        {running ? 'Stop' : 'Send'}
      </Button>
      {error !== null && <Text size="sm">{sentenceOf(error)}</Text>}
    </Group>
  );
}
