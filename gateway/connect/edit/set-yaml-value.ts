import { nullAround } from './config-format-error.ts';
import type { ConfigValue, PathStep } from './config-value.ts';
import { insertBracketItem } from './insert-bracket-item.ts';
import {
  appendLines,
  applyEdits,
  columnAt,
  detectLineBreak,
  insertAfterLine,
  type TextEdit,
} from './text-lines.ts';
import { buildItem, isList, isObject } from './value-changes.ts';
import {
  commentsIn,
  insideAlias,
  toBracketList,
  yamlBracketStyle,
  type YamlNode,
  type YamlPlace,
  type YamlSource,
} from './yaml-nodes.ts';
import { detectYamlStyle, writeYamlInline, writeYamlLines } from './yaml-writer.ts';

/** A value that a list or map gets. */
export interface NewYamlItem {
  readonly path: readonly PathStep[];
  readonly step: PathStep;
  readonly value: ConfigValue;
}

/** Returns the text with a new item in the list or map of a place, which may also be empty. @throws ConfigFormatError */
export function insertYamlValue(source: YamlSource, place: YamlPlace, item: NewYamlItem): string {
  const { text } = source;
  const { node } = place;
  const content = toContent(node, item);
  if (node.kind === 'empty') return fillEmpty(source, place, content);
  if (node.isFlow) {
    // Without the brackets and spaces around the only item.
    const written = writeYamlInline(content).slice(2, -2);
    const style = yamlBracketStyle(text);
    return applyEdits(
      text,
      insertBracketItem(text, toBracketList(node), style, () => written),
    );
  }
  const last = node.items.at(-1) ?? node;
  const indent = ' '.repeat(columnAt(text, node.start));
  const lines = writeYamlLines(content, detectYamlStyle(text, source.root));
  return applyEdits(text, [
    insertAfterLine(
      text,
      last.end,
      lines.map((line) => indent + line),
    ),
  ]);
}

/** Returns the list or map with only the new item. @throws ConfigFormatError */
function toContent({ kind }: YamlNode, { path, step, value }: NewYamlItem): ConfigValue {
  if (kind === 'scalar') throw nullAround(path);
  if (kind === 'alias') throw insideAlias(path.slice(0, -1));
  return typeof step === 'string' ? Object.fromEntries([[step, value]]) : [buildItem(step, value)];
}

/** Returns the text with another value at a place. */
export function replaceYamlValue(source: YamlSource, place: YamlPlace, value: ConfigValue): string {
  const { node, parent, index } = place;
  if (node.kind === 'empty') return fillEmpty(source, place, value);
  const { text } = source;
  const isBlock = !node.isFlow && (node.kind === 'map' || node.kind === 'list');
  if (!isBlock) return applyEdits(text, [{ ...node, text: writeYamlInline(value) }]);
  const isSameKind = isFilled(value) && isList(value) === (node.kind === 'list');
  const item = parent?.items[index] ?? node;
  // Lists may begin in the column of their key, and maps not: another kind goes into the line of the key.
  const start = isSameKind ? node.start : (parent?.items[index]?.indicatorEnd ?? node.start);
  const lines = isSameKind
    ? writeYamlLines(value, detectYamlStyle(text, source.root))
    : [`${start === node.start ? '' : ' '}${writeYamlInline(value)}`];
  const indent = ' '.repeat(columnAt(text, isSameKind ? node.start : item.start));
  const written = [...lines, ...commentsIn(source, { start, end: node.end })];
  return applyEdits(text, [
    { start, end: node.end, text: written.join(detectLineBreak(text) + indent) },
  ]);
}

/** Writes a value where there is nothing yet. */
function fillEmpty(
  source: YamlSource,
  { node, parent, index }: YamlPlace,
  value: ConfigValue,
): string {
  const { text } = source;
  const style = detectYamlStyle(text, source.root);
  if (parent === null) return appendLines(text, writeYamlLines(value, style));
  const item = parent.items[index] ?? node;
  if (parent.isFlow || !isFilled(value))
    return applyEdits(text, [insertion(node.end, ` ${writeYamlInline(value)}`)]);
  const lines = writeYamlLines(value, style);
  if (parent.kind === 'map') {
    const inner = isList(value) ? style.listIndent : style.unit;
    const indent = ' '.repeat(columnAt(text, item.start) + inner);
    return applyEdits(text, [
      insertAfterLine(
        text,
        node.end,
        lines.map((line) => indent + line),
      ),
    ]);
  }
  const indent = ' '.repeat(columnAt(text, item.start) + 2);
  return applyEdits(text, [insertion(node.end, ` ${lines.join(detectLineBreak(text) + indent)}`)]);
}

function isFilled(value: ConfigValue): boolean {
  return (isObject(value) || isList(value)) && Object.keys(value).length > 0;
}

function insertion(at: number, text: string): TextEdit {
  return { start: at, end: at, text };
}
