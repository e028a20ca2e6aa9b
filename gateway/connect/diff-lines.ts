import { structuredPatch } from 'diff';
import type { DiffLine } from '../../shared/connect/connection.ts';
import { maskLocalKeys } from '../clients/local-key.ts';

/** Unchanged lines that are shown around a change. */
const CONTEXT = 3;
/** More lines than a person reads; what follows is left out. */
const MAX_LINES = 400;
/** Settings may be one line: what is added must not be beyond its end. */
const MAX_LINE = 4_000;
const KINDS = { '+': 'added', '-': 'removed', ' ': 'same' } as const;

/** A value behind a name of a key, a token or a password: up to the quotation mark, or up to a space. */
const SECRET =
  /([\w.-]{0,60}(?:key|token|secret|passw|_pat|credential|authorization)[\w-]{0,60}["']?\s{0,4}[:=]\s{0,4}\[?\s{0,4})(?:(["'])((?:(?!\2).){8,})|([^\s"'\]},]{8,}))/giu;
/** The password in an address. */
const ADDRESS = /(:\/\/[^\s:@/]{1,100}:)[^\s@/]{1,200}@/gu;
/** A name of a variable, and a number, are no secrets. */
const PLAIN = /^(?:[A-Z][A-Z\d]*(?:_[A-Z\d]+)+|[\d._]+|\$\{?\w+\}?)$/u;
/** Stands for the local key, which is created when the change is made. */
export const NEW_KEY = 'gh-new-local-key';
/** A local key that is not whole: one that is to be created, or what is left of one at the end of a long line. */
const LOCAL_KEY = new RegExp(String.raw`\b${NEW_KEY}\b|\bgh-[\w-]{8,}(?=…$)`, 'gu');
/** A key of a service, whatever its name is. */
const SERVICE_KEY = /\bsk-[\w-]{16,}/gu;
const WORD = String.raw`(?:key|token|secret|password|credential)s?(?:[_-]?(?:list|map|pool|set))?`;
const NAME = String.raw`${WORD}["']?\s{0,4}[:=]\s{0,4}`;
/** Ends a line below whose name secrets stand, as in YAML, such as `api-key:`, `tokens: |` and `keys: # mine`. */
const SECRETS_BELOW = new RegExp(
  String.raw`${NAME}(?:[|>][-+\d]{0,2}\s{0,4})?(?:(?:#|\/\/).*)?$`,
  'iu',
);
/** A table of TOML with secrets, such as `[api_keys]`. */
const SECRET_TABLE = new RegExp(
  String.raw`^\[{1,2}(?:[^\]]*\.)?["']?[\w-]{0,60}${WORD}["']?\]`,
  'iu',
);
/** The items of a list or of an object behind such a name, in its line. */
const SECRET_LIST = new RegExp(String.raw`(${NAME}[[{])((?:"[^"]*"?|'[^']*'?|[^\]}"'])*)`, 'giu');
/** A bracket outside of quotation marks, or a comment that ends the line. */
const BRACKETS =
  /"(?:\\.|[^"\\])*"?|'[^']*'?|(?<comment>(?:^|\s)(?:#|\/\/).*)|(?<open>[[{])|(?<close>[\]}])/gu;
const COMMENT = /^(?:#|\/\/)/u;
/** A value in such a list or line. */
const ITEM = /(["'])((?:(?!\1).){8,})\1(?!\s{0,4}:)|([^\s"'[\]{},]{8,})/gu;
/** Nothing but a local key, as a header or a setting has it. */
const ONLY_LOCAL = /^(?:bearer )?<local key>…?$/iu;

/** Returns the changed lines of a text with those around them. Values of keys are masked. */
export function diffLines(before: string, after: string): DiffLine[] {
  const { hunks } = structuredPatch('', '', before, after, '', '', { context: CONTEXT });
  const secrets = { before: findSecretLines(before), after: findSecretLines(after) };
  const lines = hunks.flatMap(({ lines: part, oldStart, newStart }, index): DiffLine[] => {
    const at = { before: oldStart - 1, after: newStart - 1 };
    const shown = part.flatMap((line): DiffLine[] => {
      const mark = line.charAt(0);
      if (mark !== '+' && mark !== '-' && mark !== ' ') return [];
      const isSecret = mark === '+' ? secrets.after.has(at.after) : secrets.before.has(at.before);
      if (mark !== '-') at.after += 1;
      if (mark !== '+') at.before += 1;
      return [{ kind: KINDS[mark], text: toShownLine(line.slice(1), isSecret) }];
    });
    return [...(index === 0 ? [] : [{ kind: 'gap' as const, text: '' }]), ...shown];
  });
  return lines.length > MAX_LINES
    ? [...lines.slice(0, MAX_LINES), { kind: 'gap', text: '' }]
    : lines;
}

/**
 * Finds the lines, from 0, that stand below the name of a secret: in the brackets that it opens, in its table, further in, or as items
 * of a list.
 */
function findSecretLines(text: string): ReadonlySet<number> {
  const found = new Set<number>();
  let isBelow = isNowhere;
  for (const [at, line] of text.split('\n').entries()) {
    const start = line.trim();
    if (start === '' || COMMENT.test(start)) {
      // A comment ends nothing, and may hold a key that was in use.
      if (isBelow('')) found.add(at);
    } else if (isBelow(line)) found.add(at);
    else isBelow = toRegion(line);
  }
  return found;
}

function isNowhere(_line: string): boolean {
  return false;
}

/** Returns what tells whether the next line stands below the name of a secret in this one; an empty line is where the last one is. */
function toRegion(line: string): (next: string) => boolean {
  const start = line.trim();
  if (SECRET_TABLE.test(start)) return (next) => !next.trimStart().startsWith('[');
  const indent = line.length - line.trimStart().length;
  if (SECRETS_BELOW.test(start)) {
    return (next) => {
      const inner = next.trimStart();
      const further = next.length - inner.length;
      return inner === '' || further > indent || (further === indent && inner.startsWith('- '));
    };
  }
  const [opened] = [...start.matchAll(SECRET_LIST)].slice(-1);
  // The bracket is the last character of the name.
  const from = opened === undefined ? start.length : opened.index + (opened[1] ?? '').length - 1;
  let depth = countOpen(start.slice(from));
  return (next) => {
    const isInside = depth > 0;
    depth += isInside ? countOpen(next) : 0;
    return isInside;
  };
}

/** Counts the brackets that a text opens, without those that it closes. */
function countOpen(text: string): number {
  return [...text.matchAll(BRACKETS)].reduce(
    (depth, { groups }) =>
      depth + (groups?.['open'] === undefined ? 0 : 1) - (groups?.['close'] === undefined ? 0 : 1),
    0,
  );
}

function toShownLine(line: string, isSecret: boolean): string {
  const text = line.replace(/\r$/u, '');
  const short = text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)}…` : text;
  const masked = maskSecrets(short);
  return isSecret ? maskItems(masked) : masked;
}

function maskItems(text: string): string {
  return text.replaceAll(ITEM, (all, quote = '', quoted = '', plain = '') => {
    const value = quoted === '' ? plain : quoted;
    const isKept = PLAIN.test(value) || ONLY_LOCAL.test(value) || /^<key>$|:$/u.test(value);
    return isKept ? all : `${quote}<key>${quote}`;
  });
}

/** Gives all keys one of two forms: the local ones, and those of the person. */
function maskSecrets(text: string): string {
  return maskLocalKeys(text)
    .replaceAll(LOCAL_KEY, '<local key>')
    .replaceAll(ADDRESS, '$1<key>@')
    .replaceAll(SERVICE_KEY, '<key>')
    .replaceAll(SECRET_LIST, (_, name: string, list: string) => name + maskItems(list))
    .replaceAll(SECRET, (all, ...parts: readonly string[]) => {
      const [name = '', quote = '', quoted = '', plain = ''] = parts;
      const value = quoted === '' ? plain : quoted;
      return PLAIN.test(value) || ONLY_LOCAL.test(value) ? all : `${name}${quote}<key>`;
    });
}
