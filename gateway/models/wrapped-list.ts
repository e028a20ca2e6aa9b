import { findNodeAtLocation, type JSONPath, parseTree, visit } from 'jsonc-parser';
import type { Model } from '../../shared/model.ts';
import { readModelList } from './model-list.ts';
import { parseJson } from '../lib/parse-json.ts';

/** A model list in the wrapper the SDKs read; `changed` is false when it had that already. */
export interface WrappedModelList {
  readonly body: Buffer;
  readonly changed: boolean;
}

/** Positions of a model list and the members beside it in a JSON text. */
interface ListPositions {
  readonly list: string;
  /** The members of every object around the list, outermost first, as written, by name. */
  readonly members: readonly ReadonlyMap<string, string>[];
}

function parse(body: Buffer): { readonly text: string; readonly json: unknown } | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    return { text, json: parseJson(text) };
  } catch {
    // Not a list that could be wrapped: `null` says that nothing changes.
    return null;
  }
}

/** `text` is valid JSON. The last of several equal names counts, as in `JSON.parse`. */
function findPositions(text: string, path: readonly string[]): ListPositions {
  const members = path.map(() => new Map<string, string>());
  const open: { readonly at: JSONPath; readonly start: number }[] = [];
  let list = '[]';
  const isOnWay = (at: JSONPath) => at.every((key, i) => key === path[i]);
  const note = (at: JSONPath, written: string) => {
    if (at.length === path.length && isOnWay(at)) list = written;
    if (isOnWay(at.slice(0, -1))) members[at.length - 1]?.set(String(at.at(-1)), written);
  };
  const begin = (start: number, at: JSONPath) => {
    open.push({ at, start });
    const inside = at.length < path.length && isOnWay(at);
    if (inside) for (const level of members.slice(at.length)) level.clear();
    return inside;
  };
  const end = (offset: number, length: number) => {
    const closed = open.pop();
    if (closed !== undefined) note(closed.at, text.slice(closed.start, offset + length));
  };
  // oxlint-disable max-params -- the signatures of jsonc-parser
  visit(text, {
    onObjectBegin: (offset, _length, _line, _column, at) => begin(offset, at()),
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
 * Wraps a model list as `{"object": "list", "data": […]}`. Every model stays byte for byte as it was; so do the members beside
 * the list or any wrapper of it; of equal names the one nearest to the list is kept. Members called `object` or `data` are
 * dropped. Returns `null` when the body holds no model list.
 */
export function wrapModelList(body: Buffer): WrappedModelList | null {
  const parsed = parse(body);
  const found = parsed === null ? null : readModelList(parsed.json);
  if (parsed === null || found === null) return null;
  const { list, members } = findPositions(parsed.text, found.path);
  const inData = found.path.length === 1 && found.path[0] === 'data';
  if (inData && members[0]?.get('object') === '"list"') return { body, changed: false };
  const siblings = new Map(members.flatMap((level, i) => findSiblings(level, found.path[i])));
  const beside = [...siblings].map(([name, written]) => `,${JSON.stringify(name)}:${written}`);
  const text = `{"object":"list","data":${list}${beside.join('')}}`;
  return { body: Buffer.from(text), changed: true };
}

function findSiblings(level: ReadonlyMap<string, string>, path: string | undefined) {
  return [...level].filter(([name]) => name !== path && name !== 'object' && name !== 'data');
}

/** Adds models to the end of a list in the wrapper that `wrapModelList` returns; every other byte stays. */
export function appendModels(body: Buffer, models: readonly Model[]): Buffer {
  const text = body.toString();
  const tree = parseTree(text);
  const list = tree && findNodeAtLocation(tree, ['data']);
  if (list?.type !== 'array' || models.length === 0) return body;
  const end = list.offset + list.length - 1;
  const added = models.map((model) => JSON.stringify(model)).join(',');
  const comma = (list.children ?? []).length === 0 ? '' : ',';
  return Buffer.from(`${text.slice(0, end)}${comma}${added}${text.slice(end)}`);
}
