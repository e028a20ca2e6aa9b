import { type Node, type ParseError, parseTree, printParseErrorCode, visit } from 'jsonc-parser';
import { placeAt } from '../../../shared/parse-bodies/json.ts';
import { ConfigFormatError, formatPath, nullAround } from './config-format-error.ts';
import type { ConfigValue, PathStep } from './config-value.ts';
import { createConfigFormat, type ParsedText } from './create-config-format.ts';
import { type BracketList, type BracketStyle, insertBracketItem } from './insert-bracket-item.ts';
import { removeBracketItem } from './remove-bracket-item.ts';
import {
  appendLines,
  applyEdits,
  detectLineBreak,
  indentAt,
  isFirstInLine,
  skipLineBreak,
  skipLineBreakBack,
} from './text-lines.ts';
import { toConfigValue } from './to-config-value.ts';
import { buildItem, buildValue, type FoundStep, followPath } from './value-changes.ts';

type JsonText = ParsedText<Node | undefined>;
type Path = readonly PathStep[];

/** JSON, with comments and trailing commas if the file has them. A blank text is without a value. */
export const json = createConfigFormat<Node | undefined>({
  parse(text) {
    const errors: ParseError[] = [];
    const tree = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
    const [fault] = errors;
    if (fault !== undefined)
      throw new ConfigFormatError(describeFault(fault), placeAt(text, fault.offset));
    return { text, tree, value: tree === undefined ? undefined : toValue(tree) };
  },
  setValue(parsed, path, value) {
    const { found, rest } = followPath(parsed.value, path);
    const [step, ...inner] = rest;
    if (parsed.tree === undefined) return appendRoot(parsed.text, buildValue(path, value));
    const node = findNode(parsed, found, path);
    if (step === undefined) return replaceNode(parsed, node, value);
    if (node.type === 'null') throw nullAround(path);
    const member = buildValue(inner, value);
    return typeof step === 'string'
      ? insertMember(parsed, node, `${JSON.stringify(step)}:`, member)
      : insertMember(parsed, node, '', buildItem(step, member));
  },
  removeValue(parsed, path) {
    const { found } = followPath(parsed.value, path);
    const node = findNode(parsed, found, path);
    if (node.parent === undefined) return removeRoot(parsed.text, node);
    const item = node.parent.type === 'property' ? node.parent : node;
    const list = item.parent ?? item;
    return applyEdits(
      parsed.text,
      removeBracketItem(parsed.text, bracketsOf(list), styleOf(parsed, list), {
        index: list.children?.indexOf(item) ?? -1,
        comments: commentsIn(parsed.text, item),
      }),
    );
  },
});

function describeFault({ error }: ParseError): string {
  const words = printParseErrorCode(error).replace(/\B[A-Z]/gu, (letter) => ` ${letter}`);
  return `This file is not valid JSON: ${words.toLowerCase()}.`;
}

function toValue(node: Node): ConfigValue {
  const children = node.children ?? [];
  if (node.type === 'array') return children.map(toValue);
  if (node.type !== 'object') return toConfigValue(node.value);
  return Object.fromEntries(
    children.map(({ children: [name, value] = [] }) => [
      String(name?.value),
      value === undefined ? null : toValue(value),
    ]),
  );
}

function findNode({ tree }: JsonText, found: readonly FoundStep[], path: Path): Node {
  let node = tree;
  for (const [index, step] of found.entries()) {
    const members = (node?.children ?? []).filter(
      ({ type, children }, at) =>
        (type === 'property' && node?.type === 'object' ? children?.[0]?.value : at) === step,
    );
    if (members.length > 1)
      throw new ConfigFormatError(
        `${formatPath(path.slice(0, index + 1))} is in this file twice. Remove one of them.`,
      );
    const member = members[0];
    node = member?.type === 'property' ? member.children?.[1] : member;
  }
  if (node === undefined) throw new Error(`No node for ${formatPath(path)}`);
  return node;
}

function replaceNode(parsed: JsonText, node: Node, value: ConfigValue): string {
  const style = styleOf(parsed, node.parent ?? node);
  const item = node.parent?.type === 'property' ? node.parent : node;
  const hasLine = isFirstInLine(parsed.text, item.offset);
  const indent = hasLine ? indentAt(parsed.text, item.offset) : null;
  const end = node.offset + node.length;
  return applyEdits(parsed.text, [
    { start: node.offset, end, text: writeValue(value, indent, style) },
  ]);
}

function insertMember(parsed: JsonText, list: Node, name: string, value: ConfigValue): string {
  const style = styleOf(parsed, list);
  const label = name === '' ? '' : name + style.space;
  return applyEdits(
    parsed.text,
    insertBracketItem(
      parsed.text,
      bracketsOf(list),
      style,
      (indent) => label + writeValue(value, indent, style),
    ),
  );
}

function writeValue(value: ConfigValue, indent: string | null, style: BracketStyle): string {
  if (indent === null && style.space === '') return JSON.stringify(value);
  if (indent !== null)
    return JSON.stringify(value, null, style.unit).replaceAll('\n', style.eol + indent);
  // Within a line: the line breaks of the writer become spaces, but not those beside brackets.
  return JSON.stringify(value, null, 1)
    .replaceAll(/(?<=[[{])\n */gu, '')
    .replaceAll(/\n *(?=[\]}])/gu, '')
    .replaceAll(/\n */gu, ' ');
}

function bracketsOf({ offset, length, children = [] }: Node): BracketList {
  const items = children.map((child) => ({
    start: child.offset,
    end: child.offset + child.length,
  }));
  return { start: offset + 1, end: offset + length - 1, items };
}

function styleOf({ text, tree }: JsonText, list: Node): BracketStyle {
  const item = list.parent?.type === 'property' ? list.parent : list;
  return {
    comments: 'slashes',
    opensLines: item.parent === undefined || isFirstInLine(text, item.offset),
    unit: tree === undefined ? DEFAULT_UNIT : detectUnit(text, tree),
    eol: detectLineBreak(text),
    space: hasSpaceAfterColon(text, list) ? ' ' : '',
  };
}

const DEFAULT_UNIT = '  ';

/** Finds the indentation of the first member that has a line of its own. */
function detectUnit(text: string, root: Node): string {
  const nodes = [root];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    const [first] = node.children ?? [];
    if (first === undefined) continue;
    if (node.type !== 'property' && isFirstInLine(text, first.offset)) {
      const outer = indentAt(text, node.offset);
      const inner = indentAt(text, first.offset);
      if (inner.startsWith(outer) && inner.length > outer.length) return inner.slice(outer.length);
    }
    nodes.push(...(node.children ?? []).toReversed());
  }
  return DEFAULT_UNIT;
}

function hasSpaceAfterColon(text: string, list: Node): boolean {
  const colon = list.children?.[0]?.colonOffset ?? list.parent?.colonOffset;
  return colon === undefined || /\s/u.test(text.charAt(colon + 1));
}

function appendRoot(text: string, value: ConfigValue): string {
  const eol = detectLineBreak(text);
  return appendLines(text, [JSON.stringify(value, null, DEFAULT_UNIT).replaceAll('\n', eol)]);
}

/** Removes the only value of a text: the opposite of `appendRoot`. */
function removeRoot(text: string, root: Node): string {
  const comments = commentsIn(text, root).join(detectLineBreak(text));
  const end = root.offset + root.length;
  if (comments !== '') return applyEdits(text, [{ start: root.offset, end, text: comments }]);
  const isLast = end === text.length;
  const start = isLast ? skipLineBreakBack(text, root.offset) : root.offset;
  const after = skipLineBreak(text, end);
  const endsText = after === text.length;
  return applyEdits(text, [{ start, end: endsText ? after : end, text: '' }]);
}

function commentsIn(text: string, { type, offset, length }: Node): readonly string[] {
  const slice = text.slice(offset, offset + length);
  const whole = type === 'property' ? `{${slice}}` : slice;
  const comments: string[] = [];
  visit(whole, {
    onComment: (start, size) => void comments.push(whole.slice(start, start + size)),
  });
  return comments;
}
