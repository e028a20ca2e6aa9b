/** Kinds of answer texts. They differ in what is expensive to render. */
export const TEXT_KINDS = ['mixed', 'code', 'table', 'list', 'paragraph', 'formulas'] as const;
export type TextKind = (typeof TEXT_KINDS)[number];

/** Creates an answer in Markdown of about `bytes` bytes; its last block is always complete. */
export function makeText(kind: TextKind, bytes: number): string {
  const { begin = '', block, end = '' } = SHAPES[kind];
  const blocks = [begin];
  let size = begin.length;
  for (let n = 1; size < bytes; n += 1) {
    const next = block(n);
    blocks.push(next);
    size += next.length;
  }
  return [...blocks, end].join('');
}

interface Shape {
  readonly begin?: string;
  readonly block: (n: number) => string;
  readonly end?: string;
}

const SENTENCE = 'The terms must match *literally*, or the planner **guesses**; see `explain`.';

const SHAPES: Readonly<Record<TextKind, Shape>> = {
  mixed: {
    block: (n) =>
      [
        `## Part ${n}`,
        `${SENTENCE} `.repeat(4),
        `1. ${SENTENCE}\n2. ${SENTENCE}\n   - ${SENTENCE}`,
        `\`\`\`ts\n${codeLine(n)}${codeLine(n + 1)}\`\`\``,
        `| query | time |\n|---|--:|\n| a | ${n} ms |\n| b | ${n * 2} ms |`,
        `It holds that $x_${n} = \\frac{1}{${n}}$.\n\n`,
      ].join('\n\n'),
  },
  code: { begin: '```ts\n', block: codeLine, end: '```\n' },
  table: { begin: '| n | what | time |\n|--:|---|--:|\n', block: tableRow },
  list: { block: (n) => `- ${n}: ${SENTENCE}\n` },
  paragraph: { block: () => `${SENTENCE} ` },
  formulas: { block: (n) => `$$\\sum_{k=1}^{${n}} k = \\frac{${n}(${n}+1)}{2}$$\n\n` },
};

function codeLine(n: number): string {
  return `export const value${n} = await store.read('key-${n}', { limit: ${n} }); // number ${n}\n`;
}

function tableRow(n: number): string {
  return `| ${n} | ${SENTENCE} | ${n} ms |\n`;
}
