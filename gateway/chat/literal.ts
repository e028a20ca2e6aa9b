/** How a language writes what JSON writes otherwise. */
export interface Spelling {
  readonly indent: string;
  readonly words: Readonly<Record<'true' | 'false' | 'null', string>>;
  readonly key: (name: string) => string;
}

export const PYTHON: Spelling = {
  indent: '    ',
  words: { true: 'True', false: 'False', null: 'None' },
  key: (name) => JSON.stringify(name),
};

export const TYPESCRIPT: Spelling = {
  indent: '  ',
  words: { true: 'true', false: 'false', null: 'null' },
  // `__proto__` without quotes sets no field.
  key: (name) => (/^[a-z]\w*$/iu.test(name) ? name : JSON.stringify(name)),
};

/** A JSON value as a literal of a language, over several lines. Strings are those of JSON, which both languages read alike. */
export function pretty(value: unknown, spelling: Spelling, depth = 0): string {
  if (value === null || typeof value === 'boolean') return spelling.words[`${value}`];
  if (Array.isArray(value)) {
    return block(
      ['[', ']'],
      value.map((item) => pretty(item, spelling, depth + 1)),
      { spelling, depth },
    );
  }
  if (typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value ?? {}).map(
    ([name, item]) => `${spelling.key(name)}: ${pretty(item, spelling, depth + 1)}`,
  );
  return block(['{', '}'], fields, { spelling, depth });
}

function block(
  [open, close]: readonly [string, string],
  items: readonly string[],
  { spelling, depth }: { readonly spelling: Spelling; readonly depth: number },
): string {
  if (items.length === 0) return open + close;
  const inner = spelling.indent.repeat(depth + 1);
  const lines = items.map((item) => `${inner}${item},\n`).join('');
  return `${open}\n${lines}${spelling.indent.repeat(depth)}${close}`;
}
