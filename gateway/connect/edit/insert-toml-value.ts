import type { ConfigValue, PathStep } from './config-value.ts';
import { insertBracketItem } from './insert-bracket-item.ts';
import {
  appendLines,
  applyEdits,
  detectLineBreak,
  indentAt,
  insertAfterLine,
  lineStart,
  skipLineBreakBack,
  type TextRange,
} from './text-lines.ts';
import type { TomlValue } from './toml-scanner.ts';
import {
  findTomlItem,
  startsWith,
  toBracketList,
  tomlBracketStyle,
  type TomlSections,
} from './toml-sections.ts';
import { writeTomlKey, writeTomlMember, writeTomlValue } from './toml-writer.ts';
import { buildItem, buildValue, type FoundStep, isObject } from './value-changes.ts';

/** The place of a new value: the steps that exist, and those that do not. */
export interface NewPlace {
  readonly found: readonly FoundStep[];
  readonly rest: readonly PathStep[];
}

/** Returns the text with a value that it did not have. @throws ConfigFormatError */
export function insertTomlValue(
  text: string,
  parts: TomlSections,
  { found, rest }: NewPlace,
  value: ConfigValue,
): string {
  const around = found.length === 0 ? null : findTomlItem(parts, found);
  if (around !== null) return insertInBrackets(text, around.item.value, rest, value);
  const names = rest.filter((step) => typeof step === 'string');
  const tables = found.filter((step) => typeof step === 'string');
  const [name, ...inner] = rest;
  // A table in an item of a list of tables cannot come last, as its header would belong to the last item.
  const isInItem = tables.length < found.length;
  const isScalar = inner.length === 0 && !isObject(value);
  if (typeof name === 'string' && (isInItem || isScalar))
    return insertMember(text, parts, found, [name, buildValue(inner, value)]);
  const listAt = rest.findIndex((step) => typeof step === 'object');
  const listStep = rest[listAt];
  if (typeof listStep === 'object') {
    const item = buildItem(listStep, buildValue(rest.slice(listAt + 1), value));
    const header = writeTomlKey([...tables, ...names.slice(0, listAt)]);
    return appendTable(text, `[[${header}]]`, item);
  }
  return isObject(value)
    ? appendTable(text, `[${writeTomlKey([...tables, ...names])}]`, value)
    : appendTable(
        text,
        `[${writeTomlKey([...tables, ...names.slice(0, -1)])}]`,
        buildValue(names.slice(-1), value),
      );
}

function insertInBrackets(
  text: string,
  list: TomlValue,
  rest: readonly PathStep[],
  value: ConfigValue,
): string {
  const [step = '', ...inner] = rest;
  const member = buildValue(inner, value);
  const written =
    typeof step === 'string'
      ? writeTomlMember([step], member)
      : writeTomlValue(buildItem(step, member));
  return applyEdits(
    text,
    insertBracketItem(text, toBracketList(list), tomlBracketStyle(text), () => written),
  );
}

/** Appends a table after a blank line. */
function appendTable(text: string, header: string, value: ConfigValue): string {
  const members = Object.entries(isObject(value) ? value : {});
  const lines = [header, ...members.map(([name, member]) => writeTomlMember([name], member))];
  return appendLines(text, text === '' ? lines : ['', ...lines]);
}

function insertMember(
  text: string,
  { sections }: TomlSections,
  table: readonly FoundStep[],
  [name, value]: readonly [string, ConfigValue],
): string {
  const section = sections.find(
    ({ path }) => path.length === table.length && startsWith(path, table),
  );
  if (section !== undefined) {
    const last = section.members.at(-1) ?? section.header;
    const line = writeTomlMember([name], value);
    if (last === null) return insertFirstMember(text, sections[1]?.header ?? null, line);
    const indented = indentAt(text, last.start) + line;
    return applyEdits(text, [insertAfterLine(text, last.end, [indented])]);
  }
  // A table may also exist by dotted keys, and be implied by the headers of tables in it.
  for (const { path, members } of sections.filter((other) => startsWith(table, other.path))) {
    const prefix = table.slice(path.length);
    const last = members.findLast(({ key }) => startsWith(key, prefix));
    if (last === undefined) continue;
    const line = writeTomlMember([...last.key.slice(0, prefix.length), name], value);
    return applyEdits(text, [insertAfterLine(text, last.end, [indentAt(text, last.start) + line])]);
  }
  return appendTable(text, `[${writeTomlKey(table.map(String))}]`, { [name]: value });
}

/** Inserts the first member before all tables: before the comments of the first one, unless these begin the file. */
function insertFirstMember(text: string, header: TextRange | null, line: string): string {
  if (header === null) return appendLines(text, [line]);
  const eol = detectLineBreak(text);
  const tableStart = lineStart(text, header.start);
  let start = tableStart;
  for (let before = start; before === start && before > 0;) {
    before = lineStart(text, skipLineBreakBack(text, start));
    if (text.startsWith('#', before)) start = before;
  }
  if (start === 0) start = tableStart;
  return applyEdits(text, [{ start, end: start, text: line + eol + eol }]);
}
