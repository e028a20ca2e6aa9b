import { pluralize } from '../../../shared/format.ts';
import type { StatusChecks } from '../../../shared/history/history.ts';

/** Shows how many status checks of a video a row stands for. */
export function ChecksCount({ checks: { count, orMore } }: { readonly checks: StatusChecks }) {
  const text = `${orMore ? 'more than ' : ''}${pluralize(count, 'check')}`;
  return (
    <span
      style={{ flex: 'none', whiteSpace: 'nowrap' }}
      title="Equal status checks of one day in one row. The details link to each of them."
    >
      {text}{' '}
    </span>
  );
}
