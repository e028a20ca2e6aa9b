import { formatRelativeTime, formatTimestamp } from '../format/format.ts';
import { useSlowNow } from '../hooks/use-now.ts';

/** Shows how long ago something was, updated, with the exact time in a tooltip. `at` in Unix milliseconds. */
export function RelativeTime({ at }: { readonly at: number }) {
  const shown = Math.max(useSlowNow(), at);
  return (
    // Passing time is not announced: live regions around it stay silent.
    <time dateTime={new Date(at).toISOString()} title={formatTimestamp(at)} aria-live="off">
      {formatRelativeTime(at, shown)}
    </time>
  );
}
