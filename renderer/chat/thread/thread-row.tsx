import { Skeleton } from '@mantine/core';
import { memo } from 'react';
import { useAreLoaded } from '../store/use-conversation-store.ts';
import { Answer } from './answer/answer.tsx';
import { useThread } from './thread-context.ts';
import type { Row } from './rows.ts';
import { UserMessageRow } from './user-message.tsx';
import classes from './thread.module.css';

/** Lists that stay the same ones from rendering to rendering. */
const EVERY: readonly (readonly number[])[] = [[], [0], [0, 1], [0, 1, 2]];
const ONLY: readonly (readonly number[])[] = [[0], [1], [2]];

interface ThreadRowProps {
  readonly row: Row;
  /** Estimated height in pixels. */
  readonly height: number;
}

/** A row of the thread. Until its messages are loaded it has the estimated height, so that the visible text does not move. */
export function ThreadRow({ row, height }: ThreadRowProps) {
  const { chat } = useThread();
  const areHere = useAreLoaded(
    chat,
    row.cells.map(({ id }) => id),
  );
  if (areHere) return <Present row={row} />;
  return (
    <div
      className={classes['absent']}
      style={{ height }}
      role="group"
      aria-busy
      aria-label="Loading"
    >
      <Skeleton height="100%" radius="md" animate={false} />
    </div>
  );
}

/** Spans all lanes when they share the message; otherwise one cell per lane. */
const Present = memo(function Present({ row }: { readonly row: Row }) {
  const { conversation } = useThread();
  const lanes = conversation.lanes.length;
  if (row.by === 'person') return <UserMessageRow row={row} />;
  const [first] = row.cells;
  if (row.shared && first !== undefined) {
    return <Answer key={first.id} id={first.id} lanes={EVERY[lanes] ?? []} />;
  }
  return (
    <div className={classes['columns']} data-columns={lanes}>
      {row.cells.map(({ id, lane }) => (
        <div key={lane} className={classes['cell']} data-lane={lane}>
          <Answer key={id} id={id} lanes={ONLY[lane] ?? []} />
        </div>
      ))}
    </div>
  );
});
