import { Document, visit } from 'yaml';
import type { ConfigValue } from './config-value.ts';
import type { YamlNode } from './yaml-nodes.ts';
import { columnAt } from './text-lines.ts';

/** How a file indents: the spaces of one level, and of the dashes below a key. */
export interface YamlStyle {
  readonly unit: number;
  readonly listIndent: number;
}

/** Characters that are no text for some readers of YAML. */
const SPECIAL = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/gu;

/** Texts that are written in one line only with quotes. */
const NEEDS_QUOTES = /[\n\r\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/u;

/** Writes a value in lines, without the last line break. Every text is spelled so that YAML 1.1 and 1.2 read the same. */
export function writeYamlLines(value: ConfigValue, style: YamlStyle): readonly string[] {
  return write(value, style, 'any').split('\n');
}

/** Writes a value within a line, in which it may stand in brackets. */
export function writeYamlInline(value: ConfigValue): string {
  // As the only item of a list, whose brackets and spaces are cut off: there, commas are quoted.
  return write([value], { unit: 2, listIndent: 2 }, 'flow').slice(2, -2);
}

function write(value: ConfigValue, { unit, listIndent }: YamlStyle, style: 'any' | 'flow') {
  const document = new Document(value, {
    compat: 'yaml-1.1',
    aliasDuplicateObjects: false,
    keepUndefined: false,
  });
  visit(document, {
    Collection(_, collection) {
      collection.flow = collection.items.length === 0;
    },
    Scalar(_, scalar) {
      const text = scalar.value;
      if (typeof text === 'string' && NEEDS_QUOTES.test(text)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return document
    .toString({
      indent: unit,
      indentSeq: listIndent > 0,
      collectionStyle: style,
      lineWidth: 0,
      blockQuote: false,
    })
    .trimEnd()
    .replaceAll(SPECIAL, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Finds how a text indents its first maps and lists within maps. */
export function detectYamlStyle(text: string, root: YamlNode): YamlStyle {
  let unit: number | null = null;
  let listIndent: number | null = null;
  const nodes = [root];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (node.isFlow || (unit !== null && listIndent !== null)) continue;
    for (const item of node.items) {
      const inner = item.node;
      const indent = columnAt(text, inner.start) - columnAt(text, item.start);
      const isInMap = node.kind === 'map' && !inner.isFlow;
      if (isInMap && inner.kind === 'map') unit ??= indent;
      if (isInMap && inner.kind === 'list') listIndent ??= indent;
    }
    nodes.push(...node.items.map((item) => item.node).toReversed());
  }
  return {
    unit: unit ?? (listIndent || DEFAULT_INDENT),
    listIndent: listIndent ?? unit ?? DEFAULT_INDENT,
  };
}

const DEFAULT_INDENT = 2;
