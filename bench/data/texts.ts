/** What answers are made of, one kind each: what is easy for one is hard for another. */
export const TEXT_KINDS = ['mixed', 'code', 'table', 'list', 'paragraph', 'formulas'] as const;
export type TextKind = (typeof TEXT_KINDS)[number];

/** An answer in Markdown of so many bytes, a little more when its last piece needs them. */
export function makeText(kind: TextKind, bytes: number): string {
  const { begin = '', piece, end = '' } = SHAPES[kind];
  const pieces = [begin];
  let size = begin.length;
  for (let n = 1; size < bytes; n += 1) {
    const next = piece(n);
    pieces.push(next);
    size += next.length;
  }
  return [...pieces, end].join('');
}

interface Shape {
  readonly begin?: string;
  readonly piece: (n: number) => string;
  readonly end?: string;
}

const SENTENCE = 'The terms must match *literally*, or the planner **guesses**; see `explain`.';

const SHAPES: Readonly<Record<TextKind, Shape>> = {
  mixed: {
    piece: (n) =>
      [
        `## Part ${n}`,
        `${SENTENCE} `.repeat(4),
        `1. ${SENTENCE}\n2. ${SENTENCE}\n   - ${SENTENCE}`,
        `\`\`\`ts\n${codeLine(n)}${codeLine(n + 1)}\`\`\``,
        `| query | time |\n|---|--:|\n| a | ${n} ms |\n| b | ${n * 2} ms |`,
        `It holds that $x_${n} = \\frac{1}{${n}}$.\n\n`,
      ].join('\n\n'),
  },
  code: { begin: '```ts\n', piece: codeLine, end: '```\n' },
  table: { begin: '| n | what | time |\n|--:|---|--:|\n', piece: tableRow },
  list: { piece: (n) => `- ${n}: ${SENTENCE}\n` },
  paragraph: { piece: () => `${SENTENCE} ` },
  formulas: { piece: (n) => `$$\\sum_{k=1}^{${n}} k = \\frac{${n}(${n}+1)}{2}$$\n\n` },
};

function codeLine(n: number): string {
  return `export const value${n} = await store.read('key-${n}', { limit: ${n} }); // number ${n}\n`;
}

function tableRow(n: number): string {
  return `| ${n} | ${SENTENCE} | ${n} ms |\n`;
}
