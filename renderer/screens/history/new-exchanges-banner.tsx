import { Button, VisuallyHidden } from '@mantine/core';
import { IconArrowUp } from '@tabler/icons-react';
import { formatCount } from '../../../shared/format.ts';
import classes from './history.module.css';
import type { NewExchanges } from './use-newest.ts';

interface NewExchangesBannerProps {
  readonly waiting: NewExchanges | null;
  readonly onShow: () => void;
}

/** Announces new exchanges above without moving the list. */
export function NewExchangesBanner({ waiting, onShow }: NewExchangesBannerProps) {
  return (
    <div className={classes['notification']}>
      {/* Announced once: a changing number would be announced again and again. */}
      <VisuallyHidden role="status">{waiting !== null && 'New requests above.'}</VisuallyHidden>
      {waiting !== null && (
        <Button
          size="compact-sm"
          radius="xl"
          leftSection={<IconArrowUp size={14} aria-hidden />}
          onClick={onShow}
        >
          {waiting.orMore && 'more than '}
          {formatCount(waiting.exchanges)} new
        </Button>
      )}
    </div>
  );
}
