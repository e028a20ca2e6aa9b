/** A variable that a shell profile gives to the programs of its terminals. */
export interface ShellVariable {
  /** `null` where the shell computes it, as from another variable or a command. */
  readonly value: string | null;
  /** The line, from 1. */
  readonly line: number;
}

/** A word of a command. */
interface Word {
  readonly text: string;
  /** Whether a part of it is computed by the shell. */
  readonly isComputed: boolean;
}

const NAME = /^[a-z_]\w*$/iu;

/**
 * Reads the variables that a profile of a POSIX shell exports: `export NAME=value`, and `NAME=value` where `export NAME` stands
 * somewhere. Conditions, functions and files that it includes are not followed; each line counts as if it ran. The last value counts.
 */
export function readPosixExports(text: string): ReadonlyMap<string, ShellVariable> {
  const assigned = new Map<string, ShellVariable>();
  const exported = new Set<string>();
  for (const { words, line } of readCommands(text)) {
    const [first] = words;
    if (first?.text === 'unset') for (const { text: name } of words) assigned.delete(name);
    const isExport = first?.text === 'export' || (isDeclaration(first) && words[1]?.text === '-x');
    const assignments = words.slice(isExport ? 1 : 0).map((word) => toAssignment(word, line));
    // An assignment before a command holds for that command only.
    if (!isExport && assignments.includes(null)) continue;
    for (const assignment of assignments) {
      if (assignment === null) continue;
      assigned.set(assignment.name, assignment.variable);
      if (isExport) exported.add(assignment.name);
    }
    if (isExport) for (const { text: name } of words) if (NAME.test(name)) exported.add(name);
  }
  return new Map([...assigned].filter(([name]) => exported.has(name)));
}

/** Reads the variables that a profile of fish exports: `set -gx NAME value`, also with other options. The last value counts. */
export function readFishExports(text: string): ReadonlyMap<string, ShellVariable> {
  const found = new Map<string, ShellVariable>();
  for (const { words, line, opensBracket } of readCommands(text)) {
    const [first, ...rest] = words;
    if (first?.text !== 'set') continue;
    const start = rest.findIndex((word) => !word.text.startsWith('-'));
    const options = rest.slice(0, Math.max(start, 0)).map((word) => word.text);
    const has = (short: string, long: string) =>
      options.some((one) => (one.startsWith('--') ? one === long : one.includes(short)));
    const [name, ...values] = start === -1 ? [] : rest.slice(start);
    if (name === undefined) continue;
    if (has('e', '--erase')) found.delete(name.text);
    else if (has('x', '--export')) {
      const isComputed = opensBracket || values.some((word) => word.isComputed);
      const value = values.map((word) => word.text).join(' ');
      found.set(name.text, { value: isComputed ? null : value, line });
    }
  }
  return found;
}

function isDeclaration(word: Word | undefined): boolean {
  return word?.text === 'typeset' || word?.text === 'declare';
}

function toAssignment({ text, isComputed }: Word, line: number) {
  const sign = text.indexOf('=');
  const name = text.slice(0, Math.max(sign, 0));
  if (!NAME.test(name)) return null;
  return { name, variable: { value: isComputed ? null : text.slice(sign + 1), line } };
}

interface Command {
  readonly words: readonly Word[];
  /** Whether a bracket follows, which is a value in fish. */
  readonly opensBracket: boolean;
  readonly line: number;
}

/** Quoted text, an escaped character, the end of a command, blanks, a comment, or plain text. */
const PIECE =
  /'(?<single>[^']*)'|"(?<double>(?:\\[\s\S]|[^"\\])*)"|\\(?<escaped>[\s\S])|(?<end>[;&|\n(){}]+)|(?<blank>[^\S\n]+)|(?<=^|[\s;&|(){}])#[^\n]*|(?<plain>[^'"\\;&|\n(){}\s]+)/gu;
const COMPUTED = /[$`]/u;
/** Words before a command that change nothing about it. */
const BEFORE_COMMAND = ['then', 'else', 'do', 'and', 'or', 'begin', 'builtin', 'command'];

/** Splits a text into commands with their words. Substitutions are not followed: what contains one is computed. */
function readCommands(text: string): readonly Command[] {
  const commands: Command[] = [];
  let words: Word[] = [];
  let word: Word | null = null;
  let line = 1;
  let start = 1;
  const add = (more: string, isComputed: boolean) => {
    if (words.length === 0 && word === null) start = line;
    word = { text: (word?.text ?? '') + more, isComputed: word?.isComputed === true || isComputed };
  };
  const endWord = () => {
    const isLeft = word === null || (words.length === 0 && BEFORE_COMMAND.includes(word.text));
    if (word !== null && !isLeft) words.push(word);
    word = null;
  };
  const endCommand = (opensBracket: boolean) => {
    endWord();
    if (words.length > 0) commands.push({ words, line: start, opensBracket });
    words = [];
  };
  for (const { 0: piece, groups = {} } of text.matchAll(PIECE)) {
    const { single, double, escaped, end, blank, plain } = groups;
    if (single !== undefined) add(single, false);
    if (double !== undefined) add(unescape(double), COMPUTED.test(double));
    // A line break after a backslash continues the line.
    if (escaped !== undefined && escaped !== '\n') add(escaped, false);
    if (plain !== undefined) add(plain, COMPUTED.test(plain));
    if (blank !== undefined) endWord();
    if (end !== undefined && isInWord(word, end)) add(end, true);
    else if (end !== undefined) endCommand(end.startsWith('('));
    line += piece.split('\n').length - 1;
  }
  endCommand(false);
  return commands;
}

function unescape(text: string): string {
  return text.replaceAll(/\\([$`"\\])/gu, '$1');
}

/** Whether brackets continue a word, as in `$(command)` and `${NAME}`. */
function isInWord(word: Word | null, end: string): boolean {
  return word?.isComputed === true && /^[({}]+$/u.test(end);
}
