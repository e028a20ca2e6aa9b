import type { BracketList, BracketStyle } from './insert-bracket-item.ts';
import { detectLineBreak, type TextRange } from './text-lines.ts';
import { createTomlScanner, type TomlItem, type TomlValue } from './toml-scanner.ts';
import type { FoundStep } from './value-changes.ts';

/** The members after a header, or, in the first section, before all headers. */
export interface TomlSection {
  /** The table, with the index of the item in each list of tables. */
  readonly path: readonly FoundStep[];
  /** The header in its brackets; `null` for the first section. */
  readonly header: TextRange | null;
  readonly members: readonly TomlItem[];
}

/** The parts of a TOML text. */
export interface TomlSections {
  readonly sections: readonly TomlSection[];
  readonly comments: readonly TextRange[];
}

/** Splits a TOML text, which must be valid, at its headers. */
export function readSections(text: string): TomlSections {
  const scanner = createTomlScanner(text);
  const toPath = createHeaderPaths();
  let members: TomlItem[] = [];
  const sections: TomlSection[] = [{ path: [], header: null, members }];
  for (let at = scanner.skipGap(0); at < text.length; at = scanner.skipGap(at)) {
    if (text[at] !== '[') {
      const item = scanner.readItem(at);
      members.push(item);
      at = item.end;
      continue;
    }
    const brackets = text.startsWith('[[', at) ? 2 : 1;
    const { key, end } = scanner.readKey(at + brackets);
    members = [];
    const header = { start: at, end: end + brackets };
    sections.push({ path: toPath(key, brackets === 2), header, members });
    at = header.end;
  }
  return { sections, comments: scanner.comments };
}

/** Turns the names of headers, one after the other, into paths: those of lists of tables get the index of their last item. */
function createHeaderPaths() {
  const lists = new Map<string, number>();
  return (names: readonly string[], isList: boolean): readonly FoundStep[] => {
    const path: FoundStep[] = [];
    for (const [index, name] of names.entries()) {
      path.push(name);
      const id = JSON.stringify(path);
      if (isList && index === names.length - 1) lists.set(id, (lists.get(id) ?? -1) + 1);
      const item = lists.get(id);
      if (item !== undefined) path.push(item);
    }
    return path;
  };
}

/** Tells whether a path is the other one or leads into it. */
export function startsWith(path: readonly FoundStep[], prefix: readonly FoundStep[]): boolean {
  return prefix.every((step, index) => path[index] === step);
}

/** An item in brackets, or, with `list` null, a member with lines of its own. */
export interface TomlPlace {
  readonly item: TomlItem;
  readonly list: TomlValue | null;
  readonly index: number;
}

/** Finds the item that is a path's value; `null` when the value is a table with headers or dotted keys. */
export function findTomlItem(
  { sections }: TomlSections,
  path: readonly FoundStep[],
): TomlPlace | null {
  for (const section of sections) {
    if (!startsWith(path, section.path)) continue;
    for (const [index, item] of section.members.entries()) {
      const inner = path.slice(section.path.length);
      if (startsWith(inner, item.key))
        return findInside({ item, list: null, index }, inner.slice(item.key.length));
    }
  }
  return null;
}

function findInside(place: TomlPlace, path: readonly FoundStep[]): TomlPlace | null {
  if (path.length === 0) return place;
  const list = place.item.value;
  for (const [index, item] of list.items.entries()) {
    const key = list.kind === 'list' ? [index] : item.key;
    if (startsWith(path, key)) return findInside({ item, list, index }, path.slice(key.length));
  }
  return null;
}

/** How values in brackets are written in a TOML text. */
export function tomlBracketStyle(text: string): BracketStyle {
  const eol = detectLineBreak(text);
  return { comments: 'hash', opensLines: false, unit: '  ', eol, space: ' ' };
}

/** Returns the text between the brackets of a value. */
export function toBracketList({ start, end, items }: TomlValue): BracketList {
  return { start: start + 1, end: end - 1, items };
}
