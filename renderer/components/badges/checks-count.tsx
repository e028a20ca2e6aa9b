import { formatCount } from '../../../shared/format.ts';
import type { StatusChecks } from '../../../shared/history/history.ts';

/** Shows how many status checks of a video a row stands for. */
export function ChecksCount({ checks: { count, orMore } }: { readonly checks: StatusChecks }) {
  const text = `${orMore ? 'more than ' : ''}${formatCount(count)} times`;
  return (
    <span title="Equal status checks of one day in one row. The details link to each of them.">
      checked {text}{' '}
    </span>
  );
}
