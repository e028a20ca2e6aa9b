/** A range of bytes, `first` and `last` included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

const ONE_RANGE = /^bytes=(\d*)-(\d*)$/u;

/**
 * Parses a `Range` field for `size` bytes (RFC 9110 section 14.1.2). Returns `all` without a field and for a range that we do
 * not serve, such as several ranges (section 14.2 allows that), and `none` for a range outside.
 */
export function parseByteRange(
  field: string | undefined,
  size: number,
): ByteRange | 'all' | 'none' {
  const match = ONE_RANGE.exec(field?.replaceAll(/\s/gu, '') ?? '');
  if (match === null) return 'all';
  const [, from = '', to = ''] = match;
  if (from === '' && to === '') return 'all';
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length === 0 ? 'none' : { first: size - length, last: size - 1 };
  }
  const first = Number(from);
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== '' && Number(to) < first) return 'all';
  return first >= size ? 'none' : { first, last };
}
