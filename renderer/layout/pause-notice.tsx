import { Button, Group, Text } from '@mantine/core';
import { IconPlayerPause } from '@tabler/icons-react';
import classes from './notice.module.css';
import { usePauseState } from './use-pause-state.ts';

/** Shows a notice while Gatehouse is paused, with a button that resumes it. */
export function PauseNotice() {
  const { paused, resume } = usePauseState();
  return (
    <div role="status" aria-live="polite">
      {paused && (
        <Group className={classes['notice'] ?? ''} data-tone="warn" gap="sm" wrap="nowrap">
          <IconPlayerPause size={18} aria-hidden />
          <Text size="sm" flex={1}>
            Gatehouse is paused. New requests are refused and no videos are ordered; requests in
            progress finish.
          </Text>
          <Button size="compact-sm" variant="default" onClick={resume}>
            Resume
          </Button>
        </Group>
      )}
    </div>
  );
}
