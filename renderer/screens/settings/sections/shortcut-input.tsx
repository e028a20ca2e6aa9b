import { Button, CloseButton, Group, Text } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { type Shortcut, formatShortcut } from '../../../../shared/desktop/shortcut.ts';
import { PLATFORM } from '../../../api/desktop.ts';
import { useShortcutRecorder } from './use-shortcut-recorder.ts';

interface ShortcutInputProps {
  readonly name: string;
  readonly shortcut: Shortcut | null;
  /** Rejects with the reason why the shortcut cannot be used. */
  readonly onChoose: (shortcut: Shortcut | null) => Promise<unknown>;
  /** Buttons beside the input. */
  readonly children: ReactNode;
}

/** Shows a shortcut in the system's notation; after a click it records the next keys. */
export function ShortcutInput({ name, shortcut, onChoose, children }: ShortcutInputProps) {
  const { isRecording, refusal, begin, end, press, choose } = useShortcutRecorder(onChoose);
  const problem = useId();
  const formatted = shortcut === null ? 'Set a shortcut' : formatShortcut(shortcut, PLATFORM);
  const shown = isRecording ? 'Press the keys…' : formatted;
  return (
    <div>
      <Group gap={4} justify="flex-end" wrap="nowrap">
        <Button
          variant={isRecording ? 'light' : 'default'}
          size="compact-sm"
          aria-label={`${name}: ${shown}`}
          aria-describedby={problem}
          onClick={begin}
          onKeyDown={press}
          onBlur={end}
        >
          {shown}
        </Button>
        {shortcut !== null && !isRecording && (
          <CloseButton
            size="sm"
            aria-label="Remove the shortcut"
            title="Remove the shortcut"
            onClick={() => choose(null)}
          />
        )}
        {children}
      </Group>
      <Text
        id={problem}
        role="alert"
        size="xs"
        c="var(--mantine-color-error)"
        mt={refusal === null ? 0 : 4}
      >
        {refusal}
      </Text>
    </div>
  );
}
