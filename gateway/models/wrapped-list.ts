import { type JSONPath, visit } from 'jsonc-parser';
import { readModelList } from './model-list.ts';

/** A model list in the wrapper the SDKs read; `changed` is false when it had that already. */
export interface WrappedModelList {
  readonly body: Buffer;
  readonly changed: boolean;
}

/** Where a model list and the members beside it stand in a JSON text. */
interface Places {
  readonly list: string;
  /** The members of the top object, as they are written, by their names. */
  readonly members: ReadonlyMap<string, string>;
}

function parse(body: Buffer): { readonly text: string; readonly json: unknown } | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    return { text, json: JSON.parse(text) };
  } catch {
    // Neither a list nor ours to mend: `null` says that nothing is wrapped.
    return null;
  }
}

/** `text` is known to be JSON. Of a name that comes twice the last one counts, as in `JSON.parse`. */
function placesIn(text: string, path: readonly string[]): Places {
  const members = new Map<string, string>();
  const open: { readonly at: JSONPath; readonly start: number }[] = [];
  let list = '[]';
  const note = (at: JSONPath, written: string) => {
    if (at.length === 1) members.set(String(at[0]), written);
    if (at.length === path.length && at.every((key, i) => key === path[i])) list = written;
  };
  const begin = (start: number, at: JSONPath) => {
    open.push({ at, start });
    return at.length < path.length && at.every((key, i) => key === path[i]);
  };
  const end = (offset: number, length: number) => {
    const closed = open.pop();
    if (closed !== undefined) note(closed.at, text.slice(closed.start, offset + length));
  };
  // oxlint-disable max-params -- the signatures of jsonc-parser
  visit(text, {
    onObjectBegin: (offset, _length, _line, _column, at) =>
      begin(offset, at()) || at().length === 0,
    onArrayBegin: (offset, _length, _line, _column, at) => begin(offset, at()),
    onObjectEnd: end,
    onArrayEnd: end,
    onLiteralValue: (_value, offset, length, _line, _column, at) =>
      note(at(), text.slice(offset, offset + length)),
  });
  // oxlint-enable max-params
  return { list, members };
}

/**
 * Puts a model list into `{"object": "list", "data": […]}`. Every model stays byte for byte as it was; so do the members that
 * stood beside the list or its wrapper. `null` when the body holds no model list.
 */
export function wrapModelList(body: Buffer): WrappedModelList | null {
  const parsed = parse(body);
  const found = parsed === null ? null : readModelList(parsed.json);
  if (parsed === null || found === null) return null;
  const { list, members } = placesIn(parsed.text, found.path);
  const inData = found.path.length === 1 && found.path[0] === 'data';
  if (inData && members.get('object') === '"list"') return { body, changed: false };
  const taken = new Set(['object', 'data', found.path[0]]);
  const beside = [...members]
    .filter(([name]) => !taken.has(name))
    .map(([name, written]) => `,${JSON.stringify(name)}:${written}`);
  const text = `{"object":"list","data":${list}${beside.join('')}}`;
  return { body: Buffer.from(text), changed: true };
}
