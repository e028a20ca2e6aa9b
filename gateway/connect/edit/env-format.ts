import { ConfigFormatError, formatPath } from './config-format-error.ts';
import type { ConfigValue, PathStep } from './config-value.ts';
import { createConfigFormat } from './create-config-format.ts';
import {
  appendLines,
  applyEdits,
  detectLineBreak,
  lineEnd,
  removeLines,
  skipLineBreak,
  type TextRange,
} from './text-lines.ts';

/** A variable with its value: a line, or several when the value has line breaks. */
interface Assignment extends TextRange {
  readonly name: string;
  readonly value: string;
  /** The text from the end of the name to the end of the value. */
  readonly assigned: TextRange;
  /** The comment after the value; empty when there is none. */
  readonly comment: string;
}

/** The pattern of npm's `dotenv` for one assignment, from the beginning of its line. */
const ASSIGNMENT =
  /(?<start>[^\S\r\n]*(?:export\s+)?)(?<name>[\w.-]+)(?<sign>\s*=\s*?|:\s+?)(?<raw>\s*'(?:\\'|[^'])*'|\s*"(?:\\"|[^"])*"|\s*`(?:\\`|[^`])*`|[^#\r\n]+)?[^\S\r\n]*(?<comment>#.*)?$/muy;

/**
 * Files of environment variables, read like npm's `dotenv` reads them: of a name that stands twice, the last value counts.
 * Values are written so that `dotenv` and a POSIX shell read the same; a value for which there is no such spelling is refused.
 */
export const env = createConfigFormat<readonly Assignment[]>({
  parse(text) {
    const tree = readAssignments(text);
    const value = Object.fromEntries(tree.map((assignment) => [assignment.name, assignment.value]));
    return { text, tree, value };
  },
  setValue({ text, tree }, path, value) {
    const name = variableOf(path);
    const spelling = writeValue(name, value);
    const last = tree.findLast((assignment) => assignment.name === name);
    if (last === undefined) return appendLines(text, [`${name}=${spelling}`]);
    const space = text[last.assigned.end] === '#' ? ' ' : '';
    return applyEdits(text, [{ ...last.assigned, text: `=${spelling}${space}` }]);
  },
  removeValue({ text, tree }, path) {
    const name = variableOf(path);
    const eol = detectLineBreak(text);
    const lines = tree
      .filter((assignment) => assignment.name === name)
      .map(({ start, end, comment }) => ({
        start,
        end,
        text: comment === '' ? '' : comment + eol,
      }));
    return removeLines(text, lines);
  },
});

function readAssignments(text: string): readonly Assignment[] {
  const assignments: Assignment[] = [];
  for (let at = 0; at < text.length;) {
    ASSIGNMENT.lastIndex = at;
    const match = ASSIGNMENT.exec(text);
    const end = skipLineBreak(text, lineEnd(text, match === null ? at : ASSIGNMENT.lastIndex));
    if (match !== null) assignments.push(toAssignment(match, { start: at, end }));
    at = end;
  }
  return assignments;
}

function toAssignment({ groups = {} }: RegExpExecArray, range: TextRange): Assignment {
  const { start = '', name = '', sign = '', raw = '', comment = '' } = groups;
  const nameEnd = range.start + start.length + name.length;
  const end = nameEnd + sign.length + raw.trimEnd().length;
  return { ...range, name, comment, value: readValue(raw), assigned: { start: nameEnd, end } };
}

/** Reads a value like `dotenv`: of the escapes, only line breaks in double quotes. */
function readValue(raw: string): string {
  const trimmed = raw.replaceAll(/\r\n?/gu, '\n').trim();
  const value = trimmed.replaceAll(/^(['"`])([\s\S]*)\1$/gmu, '$2');
  if (!trimmed.startsWith('"')) return value;
  return value.replaceAll(String.raw`\n`, '\n').replaceAll(String.raw`\r`, '\r');
}

function variableOf(path: readonly PathStep[]): string {
  const [name] = path;
  if (path.length === 1 && typeof name === 'string' && /^[a-z_]\w*$/iu.test(name)) return name;
  throw new ConfigFormatError(
    `${formatPath(path)} is no name of an environment variable: letters, digits and underscores.`,
  );
}

function writeValue(name: string, value: ConfigValue): string {
  if (typeof value !== 'string')
    throw new ConfigFormatError(`${name} cannot be set: an environment variable is a text.`);
  if (/^[\w.:/@%+,=-]*$/u.test(value)) return value;
  if (!/['\r]/u.test(value)) return `'${value}'`;
  if (!/["$`\\\r]/u.test(value)) return `"${value}"`;
  throw new ConfigFormatError(
    `The value of ${name} mixes quotes, backslashes or dollar signs in a way that programs read differently.`,
  );
}
