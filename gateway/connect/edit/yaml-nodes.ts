import {
  type CST,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Pair,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { ConfigFormatError, formatPath } from './config-format-error.ts';
import type { PathStep } from './config-value.ts';
import type { BracketList, BracketStyle } from './insert-bracket-item.ts';
import { detectLineBreak, skipLineBreakBack, type TextRange } from './text-lines.ts';
import { toConfigValue } from './to-config-value.ts';
import type { FoundStep } from './value-changes.ts';

/** A value in a YAML text. Its range ends before the line break after its last character that is no comment. */
export interface YamlNode extends TextRange {
  /** `empty` is null without any text. */
  readonly kind: 'map' | 'list' | 'scalar' | 'alias' | 'empty';
  /** Whether it is a list or a map in brackets, or in one. */
  readonly isFlow: boolean;
  readonly items: readonly YamlItem[];
}

/** A member of a map, or an item of a list. */
export interface YamlItem extends TextRange {
  /** The name of a member; `null` in a list. */
  readonly name: string | null;
  readonly node: YamlNode;
  /** The offset after the colon or the dash; `null` when there is none. */
  readonly indicatorEnd: number | null;
}

/** A value and where it stands: as the item `index` of `parent`, or, for `null`, as the whole document. */
export interface YamlPlace {
  readonly node: YamlNode;
  readonly parent: YamlNode | null;
  readonly index: number;
}

/** Returns the nodes of a document. */
export function toYamlNode(text: string, { contents }: Document.Parsed): YamlNode {
  return toNode(text, contents, text.length, false);
}

/** Finds the value at steps that exist. @throws ConfigFormatError when one of them leads through an alias */
export function findYamlPlace(
  root: YamlNode,
  found: readonly FoundStep[],
  path: readonly PathStep[],
): YamlPlace {
  let place: YamlPlace = { node: root, parent: null, index: 0 };
  for (const [depth, step] of found.entries()) {
    const parent = place.node;
    const index = parent.items.findIndex(({ name }, at) => (name ?? at) === step);
    const item = parent.items[index];
    if (item === undefined) throw insideAlias(path.slice(0, depth));
    place = { node: item.node, parent, index };
  }
  return place;
}

/** Returns the error for a path through an alias. */
export function insideAlias(path: readonly PathStep[]): ConfigFormatError {
  return new ConfigFormatError(
    `${formatPath(path)} is written elsewhere in this file (an alias), so it is not edited.`,
  );
}

/** Returns the name that a key has in the parsed value; `null` for a list or map as a key. */
export function nameOfKey(key: unknown): string | null {
  const value = isScalar(key) ? toConfigValue(key.value) : [];
  if (value === null) return '';
  return typeof value === 'object' ? null : String(value);
}

/** Converts a node; one without text stands at `emptyAt`. */
function toNode(text: string, node: unknown, emptyAt: number, inFlow: boolean): YamlNode {
  const { start, end } = rangeOf(node, emptyAt);
  const leaf = { isFlow: inFlow, items: [], start, end };
  if (isMap(node) || isSeq(node)) return toCollection(text, node, leaf);
  if (isAlias(node)) return { ...leaf, kind: 'alias' };
  if (start === end) return { ...leaf, kind: 'empty', start: emptyAt, end: emptyAt };
  // The range of a block scalar includes its last line break.
  return { ...leaf, kind: 'scalar', end: skipLineBreakBack(text, end) };
}

function toCollection(
  text: string,
  node: YAMLMap | YAMLSeq,
  { isFlow: inFlow, start, end }: Omit<YamlNode, 'kind'>,
): YamlNode {
  const isFlow = inFlow || node.flow === true;
  const items = isMap(node)
    ? node.items.map((pair) => toMember(text, pair, isFlow))
    : toListItems(text, node, isFlow);
  const last = items.at(-1);
  const kind = isMap(node) ? 'map' : 'list';
  return { kind, isFlow, items, start, end: isFlow || last === undefined ? end : last.end };
}

function toMember(text: string, { key, value, srcToken }: Pair, isFlow: boolean): YamlItem {
  const keyRange = rangeOf(key, 0);
  const tokens = srcToken?.start.filter(isContent) ?? [];
  const content = srcToken?.sep?.filter(isContent) ?? [];
  const colon = content.find(({ type }) => type === 'map-value-ind');
  const node = toNode(text, value, endOf(content.at(-1)) ?? keyRange.end, isFlow);
  return {
    name: nameOfKey(key) ?? '',
    node,
    indicatorEnd: endOf(colon),
    start: tokens[0]?.offset ?? keyRange.start,
    end: node.end,
  };
}

function toListItems(text: string, { items, srcToken }: YAMLSeq, isFlow: boolean) {
  const tokens = srcToken !== undefined && 'items' in srcToken ? srcToken.items : [];
  const starts = tokens.map(({ start }) => start.filter(isContent));
  const dashes = starts.filter(([dash]) => dash?.type === 'seq-item-ind');
  return items.map((item, index): YamlItem => {
    const content = dashes[index] ?? [];
    const node = toNode(text, item, endOf(content.at(-1)) ?? 0, isFlow);
    const start = content[0]?.offset ?? node.start;
    return { name: null, node, indicatorEnd: endOf(content[0]), start, end: node.end };
  });
}

function isContent({ type }: CST.SourceToken): boolean {
  return type !== 'space' && type !== 'newline' && type !== 'comment' && type !== 'comma';
}

function endOf(token: CST.SourceToken | undefined): number | null {
  return token === undefined ? null : token.offset + token.source.length;
}

function rangeOf(node: unknown, emptyAt: number): TextRange {
  const [start, end] = (isNode(node) ? node.range : null) ?? [emptyAt, emptyAt];
  return { start, end };
}

/** A text with its nodes and comments. */
export interface YamlSource {
  readonly text: string;
  readonly root: YamlNode;
  readonly comments: readonly TextRange[];
}

/** Returns the comments in a part of a text. */
export function commentsIn({ text, comments }: YamlSource, range: TextRange): readonly string[] {
  return comments
    .filter(({ start, end }) => start >= range.start && end <= range.end)
    .map(({ start, end }) => text.slice(start, end));
}

/** How lists and maps in brackets are written in a YAML text. */
export function yamlBracketStyle(text: string): BracketStyle {
  const eol = detectLineBreak(text);
  return { comments: 'hash', opensLines: false, unit: '  ', eol, space: ' ' };
}

/** Returns the text between the brackets of a list or map. */
export function toBracketList({ start, end, items }: YamlNode): BracketList {
  return { start: start + 1, end: end - 1, items };
}
