import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import type { MouseEvent } from 'react';
import { usePauseState } from './use-pause-state.ts';

/** Returns the label, icon and action of a button that pauses Gatehouse, or resumes it while it is paused. */
export function usePauseButton() {
  const { paused, isKnown, pause, resume } = usePauseState();
  const act = paused ? resume : pause;
  return {
    label: paused ? 'Resume' : 'Pause',
    description: paused
      ? 'Accept new requests again'
      : 'Refuse new requests; those in progress finish',
    icon: paused ? IconPlayerPlay : IconPlayerPause,
    disabled: !isKnown,
    onClick: ({ detail }: MouseEvent): void => {
      // The second click of a double click would undo the first.
      if (detail < 2) act();
    },
  };
}
