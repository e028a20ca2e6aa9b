import { ConfigFormatError, formatPath } from './config-format-error.ts';
import type { ConfigFormat, ConfigValue, PathStep } from './config-value.ts';
import {
  checkDepth,
  checkWritable,
  isEmptied,
  isObject,
  isSameValue,
  tooDeep,
  valueAt,
  withoutValue,
  withValue,
} from './value-changes.ts';

type Path = readonly PathStep[];
type MaybeValue = ConfigValue | undefined;
type ConfigObject = Readonly<Record<string, ConfigValue>>;

/** A text, its value (`undefined` for a text without one) and the structure from which its format edits it. */
export interface ParsedText<Tree> {
  readonly text: string;
  readonly value: MaybeValue;
  readonly tree: Tree;
}

/** The part of a format that knows its syntax. The texts have no byte order mark. */
export interface SyntaxEditor<Tree> {
  /** @throws ConfigFormatError, and a RangeError when the text is nested too deeply */
  parse(text: string): ParsedText<Tree>;
  /** Returns the text with a value at a path, which may exist. @throws ConfigFormatError */
  setValue(parsed: ParsedText<Tree>, path: Path, value: ConfigValue): string;
  /** Returns the text without the value at a path, which exists. @throws ConfigFormatError */
  removeValue(parsed: ParsedText<Tree>, path: Path): string;
}

const MAX_TEXT = 10 * 1024 * 1024;
const BYTE_ORDER_MARK = '\ufeff';

/** Creates a format that checks each of its edits: the edited text is parsed, and must differ by nothing but the edit. */
export function createConfigFormat<Tree>(editor: SyntaxEditor<Tree>): ConfigFormat {
  return {
    read: (text, path) => valueAt(parseChecked(editor, splitMark(text).body).value, path),
    set(text, fields) {
      const { mark, body } = splitMark(text);
      const edited = fields.reduce(
        (parsed, { path, value }) => {
          checkWritable(value);
          return setField(editor, parsed, path, value);
        },
        parseChecked(editor, body),
      );
      return mark + edited.text;
    },
    remove(text, fields) {
      const { mark, body } = splitMark(text);
      // The last field that was set goes first, so that each text before comes back.
      const edited = fields.reduceRight(
        (parsed, { path, emptyParents }) => removeField(editor, parsed, path, emptyParents),
        parseChecked(editor, body),
      );
      return mark + edited.text;
    },
  };
}

function splitMark(text: string) {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  return { mark, body: text.slice(mark.length) };
}

function parseChecked<Tree>(editor: SyntaxEditor<Tree>, text: string): ParsedText<Tree> {
  if (text.length > MAX_TEXT)
    throw new ConfigFormatError('This file is larger than 10 MB, so it is not edited.');
  try {
    const parsed = editor.parse(text);
    checkDepth(parsed.value);
    return parsed;
  } catch (error) {
    // The parsers are recursive: a text that is nested too deeply overflows the stack.
    throw error instanceof RangeError ? tooDeep() : error;
  }
}

/** Sets a value; an object that replaces an object member by member. */
function setField<Tree>(
  editor: SyntaxEditor<Tree>,
  parsed: ParsedText<Tree>,
  path: Path,
  value: ConfigValue,
): ParsedText<Tree> {
  const current = valueAt(parsed.value, path);
  if (isSameValue(current, value)) return parsed;
  if (isObject(current) && isObject(value)) {
    const merged = mergeMembers(editor, parsed, path, { current, value });
    if (merged !== null) return merged;
  }
  const expected = withValue(parsed.value, path, value);
  return checkEdit(editor, editor.setValue(parsed, path, value), expected, path);
}

/** Sets and removes the members of an object that differ; returns `null` when that is impossible, or leaves another value. */
function mergeMembers<Tree>(
  editor: SyntaxEditor<Tree>,
  parsed: ParsedText<Tree>,
  path: Path,
  { current, value }: Record<'current' | 'value', ConfigObject>,
): ParsedText<Tree> | null {
  try {
    const added = Object.entries(value).reduce(
      (last, [name, member]) => setField(editor, last, [...path, name], member),
      parsed,
    );
    const surplus = Object.keys(current).filter((name) => !Object.hasOwn(value, name));
    const merged = surplus.reduce((last, name) => removeOne(editor, last, [...path, name]), added);
    return isSameValue(valueAt(merged.value, path), value) ? merged : null;
  } catch (error) {
    // The object is replaced as a whole then.
    if (error instanceof ConfigFormatError) return null;
    throw error;
  }
}

function removeField<Tree>(
  editor: SyntaxEditor<Tree>,
  parsed: ParsedText<Tree>,
  path: Path,
  emptyParents: number,
): ParsedText<Tree> {
  if (valueAt(parsed.value, path) === undefined) return parsed;
  return removeOne(editor, parsed, findOutermost(parsed.value, path, emptyParents));
}

/** Finds the outermost of the given number of containers that has nothing but the path; the path itself when none has. */
function findOutermost(value: MaybeValue, path: Path, emptyParents: number): Path {
  let outermost = path;
  for (const parent of parentsOf(path).slice(0, emptyParents)) {
    const left = valueAt(withoutValue(value, outermost), parent);
    if (!isEmptied(left, parent.at(-1))) break;
    outermost = parent;
  }
  return outermost;
}

function removeOne<Tree>(
  editor: SyntaxEditor<Tree>,
  parsed: ParsedText<Tree>,
  path: Path,
): ParsedText<Tree> {
  const text = editor.removeValue(parsed, path);
  const after = parseEdited(editor, text, path);
  const expected = acceptEmptied(withoutValue(parsed.value, path), after.value, path);
  return requireSame(after, expected, path);
}

/** Accepts that a container that has lost its last member is null (YAML), or gone (TOML). */
function acceptEmptied(wanted: MaybeValue, actual: MaybeValue, path: Path): MaybeValue {
  let expected = wanted;
  for (const parent of parentsOf(path)) {
    if (!isEmptied(valueAt(expected, parent), undefined)) return expected;
    const left = valueAt(actual, parent);
    if (left === null) return withValue(expected, parent, null);
    if (left !== undefined) return expected;
    expected = withoutValue(expected, parent);
  }
  return expected;
}

/** Returns the paths of all containers around a path, the innermost first, the whole text last. */
function parentsOf(path: Path): readonly Path[] {
  return path.map((_, index) => path.slice(0, index)).toReversed();
}

function checkEdit<Tree>(
  editor: SyntaxEditor<Tree>,
  text: string,
  expected: MaybeValue,
  path: Path,
): ParsedText<Tree> {
  return requireSame(parseEdited(editor, text, path), expected, path);
}

function parseEdited<Tree>(editor: SyntaxEditor<Tree>, text: string, path: Path): ParsedText<Tree> {
  try {
    return parseChecked(editor, text);
  } catch (error) {
    if (error instanceof ConfigFormatError) throw cannotEdit(path, error.message);
    throw error;
  }
}

function requireSame<Tree>(parsed: ParsedText<Tree>, expected: MaybeValue, path: Path) {
  // A text without a value is as good as one with an empty object.
  if (isSameValue(parsed.value ?? {}, expected ?? {})) return parsed;
  throw cannotEdit(path, 'Other values of the file would change with it.');
}

function cannotEdit(path: Path, reason: string): ConfigFormatError {
  return new ConfigFormatError(
    `${formatPath(path)} cannot be changed here without risk; edit the file yourself. ${reason}`,
  );
}
