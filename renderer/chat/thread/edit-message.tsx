import { Button, Group, Text, Textarea } from '@mantine/core';
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import type { ChatFile, MessageId } from '../../../shared/chat/chat.ts';
import { isComposing } from '../../hooks/keyboard/is-composing.ts';
import { toMessage } from '../../format/errors.ts';
import classes from './user-message.module.css';
import { Files } from './files.tsx';
import { useThread } from './thread-context.ts';

interface EditMessageProps {
  /** The messages that are edited: one, or its copies in several lanes. */
  readonly ids: readonly MessageId[];
  readonly text: string;
  readonly files: readonly ChatFile[];
}

/** Edits a message. Enter sends the new version, Escape cancels. */
export function EditMessage({ ids, text, files }: EditMessageProps) {
  const { actions, editing } = useThread();
  const { edit, wording: savedWording } = editing;
  const { wording, setWording, input } = useWording(text, savedWording);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const sending = useRef(false);
  const send = async (): Promise<void> => {
    // Sent only once, because each request is charged.
    if (sending.current) return;
    sending.current = true;
    setBusy(true);
    try {
      await actions.send({ text: wording, files: [...files] }, ids);
      edit(null);
    } catch (problem) {
      setError(problem);
    } finally {
      sending.current = false;
      setBusy(false);
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      void send();
    } else if (event.key === 'Escape') {
      event.preventDefault();
      edit(null);
    }
  };
  return (
    <div className={classes['edit']}>
      <Textarea
        aria-label="Edited message"
        autosize
        maxRows={16}
        value={wording}
        onChange={(event) => setWording(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        error={error === null ? null : toMessage(error)}
        ref={input}
      />
      <Files files={files} />
      <Group justify="space-between" gap="xs" mt={6}>
        <Text size="xs" c="dimmed">
          The previous message is kept as another version.
        </Text>
        <Group gap="xs">
          <Button size="compact-sm" variant="default" onClick={() => edit(null)}>
            Cancel
          </Button>
          <Button size="compact-sm" loading={busy} onClick={() => void send()}>
            Resend
          </Button>
        </Group>
      </Group>
    </div>
  );
}

/** Keeps the edited text outside of its input, which is focused when it is shown for the first time. */
function useWording(text: string, savedWording: RefObject<string | null>) {
  const [wording, setWording] = useState(() => savedWording.current ?? text);
  // Scrolled back into view, it must not take the focus.
  const [input] = useState(() => (savedWording.current === null ? focusAtEnd : undefined));
  useEffect(() => {
    savedWording.current = wording;
  }, [savedWording, wording]);
  return { wording, setWording, input };
}

function focusAtEnd(input: HTMLTextAreaElement | null): void {
  if (input === null || document.activeElement === input) return;
  input.focus({ preventScroll: true });
  input.setSelectionRange(input.value.length, input.value.length);
}
