export interface Range {
  readonly from: number;
  readonly to: number;
}

/** One byte range; anything else is ignored, as RFC 9110 section 14.2 allows. */
export function readRange(
  header: string | undefined,
  size: number,
): Range | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const from = Math.max(size - Number(last), 0);
    return from < size ? { from, to: size - 1 } : 'unsatisfiable';
  }
  const from = Number(first);
  const to = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < from) return undefined;
  return from < size ? { from, to } : 'unsatisfiable';
}
