import { Button, Group, Text } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useLiveState } from '../client/use-live.ts';
import classes from './notice.module.css';

/** Says that the engine is gone, for as long as it is. */
export function ConnectionNotice() {
  const { state, hurry } = useLiveState();
  return (
    <div role="status" aria-live="polite">
      {state === 'gone' && (
        <Group className={classes['notice'] ?? ''} gap="sm" wrap="nowrap">
          <IconPlugConnectedX size={18} aria-hidden />
          <Text size="sm" flex={1}>
            Gatehouse does not answer. Your clients cannot work until it runs again; what you see
            may be old. This window comes back by itself.
          </Text>
          <Button size="compact-sm" variant="default" onClick={hurry}>
            Try now
          </Button>
        </Group>
      )}
    </div>
  );
}
