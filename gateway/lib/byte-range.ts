/** Bytes of a file, the first and the last of them included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

const ONE_RANGE = /^bytes=(\d*)-(\d*)$/u;

/**
 * Which part of `size` bytes a `Range` field asks for (RFC 9110 section 14.1.2): `all` where there is none, or none that we serve;
 * `none` when the part lies outside. Several ranges at once are answered with all of it, as section 14.2 allows.
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
