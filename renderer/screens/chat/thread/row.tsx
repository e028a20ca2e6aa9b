import { AnswerOf } from './answer.tsx';
import { useThread } from './in-thread.ts';
import type { Row } from './rows.ts';
import { SaidRow } from './said.tsx';
import classes from './thread.module.css';

/** Lists that stay the same ones from rendering to rendering. */
const EVERY: readonly (readonly number[])[] = [[], [0], [0, 1], [0, 1, 2]];
const ONLY: readonly (readonly number[])[] = [[0], [1], [2]];

/** A line of the thread: across when all lanes share it, otherwise side by side. */
export function RowContent({ row }: { readonly row: Row }) {
  const { conversation } = useThread();
  const lanes = conversation.lanes.length;
  if (row.by === 'person') return <SaidRow row={row} />;
  const [first] = row.cells;
  if (row.shared && first !== undefined) {
    return <AnswerOf id={first.id} lanes={EVERY[lanes] ?? []} />;
  }
  return (
    <div className={classes['columns']} data-columns={lanes}>
      {row.cells.map(({ id, lane }) => (
        <div key={lane} className={classes['cell']} data-lane={lane}>
          <AnswerOf key={id} id={id} lanes={ONLY[lane] ?? []} />
        </div>
      ))}
    </div>
  );
}
