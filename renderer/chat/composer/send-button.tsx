import { ActionIcon, Tooltip } from '@mantine/core';
import type { MouseEvent } from 'react';
import { IconArrowUp, IconPlayerStopFilled } from '@tabler/icons-react';

interface SendButtonProps {
  readonly running: boolean;
  readonly busy: boolean;
  /** Whether there is anything to send. */
  readonly ready: boolean;
  readonly onSend: () => void;
  readonly onStop: () => void;
}

/** Sends the message; while an answer is in progress, stops it. */
export function SendButton({ running, busy, ready, onSend, onStop }: SendButtonProps) {
  // The second half of a double click on Send must not stop the answer.
  const stop = ({ detail }: MouseEvent): void => {
    if (detail < 2) onStop();
  };
  const label = running ? 'Stop' : 'Send';
  return (
    <Tooltip label={running ? 'Stop (Esc)' : 'Send (Enter)'}>
      <ActionIcon
        size="lg"
        radius="md"
        variant={running ? 'default' : 'filled'}
        aria-label={label}
        loading={busy}
        disabled={!running && !ready}
        onClick={running ? stop : onSend}
      >
        {running ? <IconPlayerStopFilled size={17} /> : <IconArrowUp size={18} />}
      </ActionIcon>
    </Tooltip>
  );
}
