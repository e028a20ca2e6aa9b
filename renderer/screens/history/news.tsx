import { Button, VisuallyHidden } from '@mantine/core';
import { IconArrowUp } from '@tabler/icons-react';
import { countText } from '../../parts/figures.ts';
import classes from './history.module.css';
import type { Waiting } from './use-newest.ts';

interface NewsProps {
  readonly waiting: Waiting | null;
  readonly onShow: () => void;
}

/** Says that there is something new above, without moving anything. */
export function News({ waiting, onShow }: NewsProps) {
  return (
    <div className={classes['news']}>
      {/* Once for all that come in: a number that counts up would never fall silent. */}
      <VisuallyHidden role="status">
        {waiting !== null && 'New exchanges wait above.'}
      </VisuallyHidden>
      {waiting !== null && (
        <Button
          size="compact-sm"
          radius="xl"
          leftSection={<IconArrowUp size={14} aria-hidden />}
          onClick={onShow}
        >
          {waiting.orMore && 'more than '}
          {countText(waiting.exchanges)} new
        </Button>
      )}
    </div>
  );
}
