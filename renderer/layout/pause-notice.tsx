import { Button, Group, Text } from '@mantine/core';
import { IconPlayerPause } from '@tabler/icons-react';
import { formatSince } from '../../shared/format.ts';
import { useSlowNow } from '../hooks/use-now.ts';
import { usePauseState } from '../hooks/use-pause-state.ts';
import classes from './notice.module.css';

/** Shows a notice while Gatehouse is paused, with a button that resumes it. */
export function PauseNotice() {
  const { paused, pausedAt, resume } = usePauseState();
  const now = useSlowNow();
  return (
    <div role="status" aria-live="polite">
      {paused && (
        <Group className={classes['notice'] ?? ''} data-tone="warn" gap="sm" wrap="nowrap">
          <IconPlayerPause size={18} aria-hidden />
          <Text size="sm" flex={1}>
            Gatehouse{' '}
            {pausedAt === null
              ? 'is paused'
              : `has been paused since ${formatSince(pausedAt, now)}`}
            . New requests are refused and no videos are ordered; requests in progress finish.
          </Text>
          <Button size="compact-sm" variant="default" onClick={resume}>
            Resume
          </Button>
        </Group>
      )}
    </div>
  );
}
