import { formatCount, pluralize } from '../../../shared/format.ts';

/** Shows how many equal requests a row stands for. `times` is above one. */
export function RequestsCount({ times }: { readonly times: number }) {
  const together = `${pluralize(times, 'identical request')} counted together`;
  return <span title={together}>{formatCount(times)} times </span>;
}
