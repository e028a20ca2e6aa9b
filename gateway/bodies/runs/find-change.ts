import { canonicalJson } from '../../../shared/parse-bodies/canonical-json.ts';
import { isObject, tryParse } from '../../../shared/parse-bodies/json.ts';
import type { StepChange, ToolChanges } from '../../../shared/run/run.ts';
import { cut, LENGTHS } from './build-step.ts';
import { guessLook } from './guess-look.ts';
import type { JsonPath, OutlineItem, RequestOutline } from './outline-request.ts';

/** Characters of a line that are shown before and after the first one that differs. */
export const SHOWN_BEFORE = 60;
export const SHOWN_AFTER = 120;
/** Names of tools that are listed at most. */
const MAX_NAMES = 8;
/** The beginning of the label in the system prompt of Claude Code. */
const LABEL = 'x-anthropic-billing-header:';
/** Levels in which a difference is searched for. */
const MAX_DEPTH = 40;

/** A difference, with the way to the text that differs now and the place in that text; `at` is `null` where no text differs. */
export interface FoundChange {
  readonly change: Omit<StepChange, 'byte'>;
  readonly path: JsonPath;
  readonly at: number | null;
}

/** A request with the number of its messages that were not new in it. */
export interface EarlierRequest extends RequestOutline {
  readonly stem: number;
}

/**
 * Finds the first difference of a request to the one before, in the order in which services cache: tools, system, messages. Marks of
 * the cache, white space and the order of keys make no difference, but one of the last is reported where there is no other. Messages
 * that were new in the request before are `newest` when they differ. Parts that are missing are not compared. Returns `null` when the
 * request only adds to the one before.
 */
export function findChange(earlier: EarlierRequest, now: RequestOutline): FoundChange | null {
  const moved = withMovedSystem(earlier, now);
  const messages = compareMessages(moved, now, moved.isCut || now.isCut);
  const before = messages?.change.kind === 'shortened' ? withSameLabel(moved, now) : moved;
  const isCut = before.isCut || now.isCut;
  const isMissing = (part: 'tools' | 'system') =>
    isCut && (before[part].length === 0 || now[part].length === 0);
  const found = [
    isMissing('tools') ? null : compareLists('tools', before.tools, now.tools),
    isMissing('system') ? null : compareLists('system', before.system, now.system),
    messages,
  ].filter((one) => one !== null);
  return found.find(({ change }) => change.kind !== 'key order') ?? found[0] ?? null;
}

/**
 * Returns a request with the end of its system prompt as its first messages, when the later request has it among its messages: Codex
 * moves a message of the developer behind those of the user when it shortens the history.
 */
function withMovedSystem(before: EarlierRequest, now: RequestOutline): EarlierRequest {
  const rest = before.system.slice(now.system.length);
  const later = new Set([...now.messages, ...now.tail].map(({ digest }) => digest));
  if (rest.length === 0 || !rest.every(({ digest }) => later.has(digest))) return before;
  return {
    ...before,
    system: before.system.slice(0, now.system.length),
    messages: [...rest, ...before.messages],
    stem: before.stem + rest.length,
  };
}

/**
 * Returns a request with the label of a later one. Claude Code begins its system prompt with a label that has a digest of the
 * first message, so a shortened history has another one.
 */
function withSameLabel(before: EarlierRequest, now: RequestOutline): EarlierRequest {
  const system = before.system.map((item, place) => {
    const other = now.system[place];
    return other !== undefined && isLabel(item) && isLabel(other) ? other : item;
  });
  return { ...before, system };
}

function isLabel({ parts: [part] }: OutlineItem): boolean {
  return part?.kind === 'text' && part.text.startsWith(LABEL);
}

function compareMessages(
  before: EarlierRequest,
  now: RequestOutline,
  isCut: boolean,
): FoundChange | null {
  const length = isCut ? Math.min(before.messages.length, now.messages.length) : undefined;
  const all = before.messages.slice(0, length);
  const found = compareLists('message', all, now.messages.slice(0, all.length));
  if (found === null || found.change.kind === 'key order') return found;
  const isShorter =
    !isCut && now.messages.length + now.tail.length < before.messages.length + before.tail.length;
  const isOwn = found.change.place >= before.stem;
  if (!isShorter && !isOwn) return found;
  return { ...found, change: { ...found.change, kind: isShorter ? 'shortened' : 'newest' } };
}

function compareLists(
  part: StepChange['part'],
  before: readonly OutlineItem[],
  now: readonly OutlineItem[],
): FoundChange | null {
  const length = Math.max(before.length, now.length);
  let sameButKeys: FoundChange | null = null;
  for (let place = 0; place < length; place += 1) {
    const one = before[place];
    const other = now[place];
    if (one?.digest === other?.digest) continue;
    const isSame = one !== undefined && other !== undefined && isSameItem(one, other);
    const name = (other ?? one)?.name ?? null;
    if (isSame && isSameText(one, other)) continue;
    const found = { part, place, name, kind: isSame ? 'key order' : 'changed' } as const;
    const tools = part === 'tools' && !isSame ? listToolChanges(before, now) : null;
    const { path, at, ...shown } = showDifference(one, other);
    const result = { change: { ...found, tools, ...shown }, path, at };
    if (!isSame) return result;
    sameButKeys ??= result;
  }
  return sameButKeys;
}

/** Whether two items are the same but for the order of keys, and for a text that is alone in a list of parts. */
function isSameItem(one: OutlineItem, other: OutlineItem): boolean {
  return toCanonical(one) === toCanonical(other);
}

/** Whether two items are also the same in the order of their keys. */
function isSameText(one: OutlineItem, other: OutlineItem): boolean {
  return JSON.stringify(withParts(one)) === JSON.stringify(withParts(other));
}

function toCanonical(item: OutlineItem): string {
  const value = withParts(item);
  return value === undefined ? item.json : canonicalJson(JSON.stringify(value));
}

/** Returns the value of an item with its text as a list of parts: clients write it so to put a mark for the cache on it. */
function withParts({ json }: OutlineItem): unknown {
  const value = tryParse(json);
  // A system prompt is a text, or a list of parts.
  if (typeof value === 'string') return { type: 'text', text: value };
  if (!isObject(value) || typeof value['content'] !== 'string') return value;
  return { ...value, content: [{ type: 'text', text: value['content'] }] };
}

function listToolChanges(before: readonly OutlineItem[], now: readonly OutlineItem[]): ToolChanges {
  const old = new Map(nameAll(before));
  const current = new Map(nameAll(now));
  const added = [...current.keys()].filter((name) => !old.has(name));
  const removed = [...old.keys()].filter((name) => !current.has(name));
  const changed = [...current].flatMap(([name, item]) => {
    const earlier = old.get(name);
    return earlier === undefined || isSameItem(earlier, item) ? [] : [name];
  });
  const stayed = (items: ReadonlyMap<string, OutlineItem>) =>
    [...items.keys()].filter((name) => old.has(name) && current.has(name));
  const more = [added, removed, changed].map((names) => Math.max(0, names.length - MAX_NAMES));
  return {
    added: cutNames(added),
    removed: cutNames(removed),
    changed: cutNames(changed),
    reordered: stayed(old).join('\n') !== stayed(current).join('\n'),
    more: more.reduce((sum, count) => sum + count, 0),
  };
}

/** Names the items. Several tools may have one name, as those of MCP servers do. */
function nameAll(items: readonly OutlineItem[]): (readonly [name: string, item: OutlineItem])[] {
  const counts = new Map<string, number>();
  return items.map((item) => {
    const name = item.name ?? 'unnamed';
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return [count === 1 ? name : `${name} (${count})`, item];
  });
}

function cutNames(names: readonly string[]): string[] {
  return names.slice(0, MAX_NAMES).map((name) => cut(name, LENGTHS.changedTool));
}

/** Shows where two items differ. `path` and `at` are those of the item now. */
function showDifference(one: OutlineItem | undefined, other: OutlineItem | undefined) {
  const path = other?.path ?? [];
  if (one === undefined || other === undefined) {
    const show = (item: OutlineItem | undefined) => showLine(item?.json ?? '', 0);
    return {
      before: show(one),
      now: show(other),
      character: null,
      looksLike: null,
      path,
      at: null,
    };
  }
  const leaf = findLeaf(tryParse(one.json), tryParse(other.json), []);
  const before = leaf?.before ?? one.json;
  const now = leaf?.now ?? other.json;
  const isText = typeof before === 'string' && typeof now === 'string' && leaf !== null;
  const [old, current] = [toText(before), toText(now)];
  const at = findFirst(old, current);
  return {
    before: showLine(old, at),
    now: showLine(current, at),
    character: isText ? at + 1 : null,
    looksLike: isText ? guessLook(old, current, at) : null,
    path: path.length === 0 ? [] : [...path, ...(leaf?.path ?? [])],
    at: isText ? at : null,
  };
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

interface Leaf {
  readonly path: JsonPath;
  readonly before: unknown;
  readonly now: unknown;
}

/** Finds the first value that differs, in the order of the second one; `null` when only the order of keys does. */
function findLeaf(before: unknown, now: unknown, path: JsonPath): Leaf | null {
  if (before === now) return null;
  const leaf = { path, before, now };
  if (path.length > MAX_DEPTH) return leaf;
  const asParts = toParts(before, now);
  if (asParts !== null) return findLeaf(asParts, now, path);
  const nowAsParts = toParts(now, before);
  if (nowAsParts !== null) {
    const found = findLeaf(before, nowAsParts, path);
    return found === null ? null : { ...found, path };
  }
  if (Array.isArray(before) && Array.isArray(now)) {
    const [old, current]: readonly (readonly unknown[])[] = [before, now];
    const length = Math.max(before.length, now.length);
    return findFirstLeaf(
      Array.from({ length }, (_, place) => [place, old?.[place], current?.[place]] as const),
      path,
    );
  }
  if (!isObject(before) || !isObject(now)) return leaf;
  const names = [...new Set([...Object.keys(now), ...Object.keys(before)])];
  return findFirstLeaf(
    names.map((name) => [name, before[name], now[name]] as const),
    path,
  );
}

/**
 * Writes a text like the part, or the list of parts, that it is compared with, because clients write it in both ways. `null` for other
 * values.
 */
function toParts(text: unknown, other: unknown): unknown {
  if (typeof text !== 'string') return null;
  if (isObject(other)) return typeof other['text'] === 'string' ? { ...other, text } : null;
  const part = Array.isArray(other) ? toParts(text, other[0]) : null;
  return isObject(part) ? [part] : null;
}

function findFirstLeaf(
  members: readonly (readonly [name: string | number, before: unknown, now: unknown])[],
  path: JsonPath,
): Leaf | null {
  for (const [name, before, now] of members) {
    const found = findLeaf(before, now, [...path, name]);
    if (found !== null) return found;
  }
  return null;
}

function findFirst(before: string, now: string): number {
  const length = Math.min(before.length, now.length);
  let at = 0;
  while (at < length && before[at] === now[at]) at += 1;
  return at;
}

/** Returns the line of a text with a character, cut around it. */
function showLine(text: string, at: number): string {
  const lineStart = text.lastIndexOf('\n', at - 1) + 1;
  // A line that begins at the difference, or after line breaks there, is shown, too.
  const next = text.slice(at).search(/\S/u);
  const newline = text.indexOf('\n', at + Math.max(1, next));
  const lineEnd = newline === -1 ? text.length : newline;
  const start = Math.max(at === 0 ? 0 : lineStart, at - SHOWN_BEFORE);
  const end = Math.min(Math.max(lineEnd, at), at + SHOWN_AFTER);
  const shown = text.slice(start, end);
  return `${start > lineStart ? '…' : ''}${shown}${end < lineEnd ? '…' : ''}`;
}
