/** Shorter ids fit into the narrowest list. */
const MIN_LENGTH = 25;
/** Maximum length of the end, which stays visible: enough for `-instruct-fp8`. */
const MAX_END = 16;

/**
 * Splits a long id of a model where it may be cut: before its last parts, in which ids of one family differ. A short one has no end. The
 * split is before a separator if there is one, so that the words of both parts stay whole for screen readers.
 */
export function splitId(id: string): readonly [start: string, end: string] {
  if (id.length < MIN_LENGTH) return [id, ''];
  // Half a surrogate pair has no glyph.
  const last = id.slice(-MAX_END).replace(/^[\udc00-\udfff]/, '');
  const separator = /[-/.:_@]/u.exec(last)?.index ?? 0;
  const end = last.slice(separator === last.length - 1 ? 0 : separator);
  return [id.slice(0, id.length - end.length), end];
}
