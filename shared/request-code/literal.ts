/** Syntax of a language where it differs from JSON. */
export interface LiteralStyle {
  readonly indent: string;
  readonly keywords: Readonly<Record<'true' | 'false' | 'null', string>>;
  readonly key: (name: string) => string;
}

export const PYTHON: LiteralStyle = {
  indent: '    ',
  keywords: { true: 'True', false: 'False', null: 'None' },
  key: (name) => JSON.stringify(name),
};

export const TYPESCRIPT: LiteralStyle = {
  indent: '  ',
  keywords: { true: 'true', false: 'false', null: 'null' },
  key: (name) => {
    if (/^[a-z]\w*$/iu.test(name)) return name;
    // Without brackets it would set no field, but the prototype.
    return name === '__proto__' ? '["__proto__"]' : JSON.stringify(name);
  },
};

/** Formats a JSON value as a literal over several lines. Strings are written as in JSON, which both languages accept. */
export function formatLiteral(value: unknown, style: LiteralStyle, depth = 0): string {
  if (value === null || typeof value === 'boolean') return style.keywords[`${value}`];
  if (Array.isArray(value)) {
    return formatBlock(
      ['[', ']'],
      value.map((item) => formatLiteral(item, style, depth + 1)),
      { style, depth },
    );
  }
  if (typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value ?? {}).map(
    ([name, item]) => `${style.key(name)}: ${formatLiteral(item, style, depth + 1)}`,
  );
  return formatBlock(['{', '}'], fields, { style, depth });
}

function formatBlock(
  [open, close]: readonly [string, string],
  items: readonly string[],
  { style, depth }: { readonly style: LiteralStyle; readonly depth: number },
): string {
  if (items.length === 0) return open + close;
  const inner = style.indent.repeat(depth + 1);
  const lines = items.map((item) => `${inner}${item},\n`).join('');
  return `${open}\n${lines}${style.indent.repeat(depth)}${close}`;
}
