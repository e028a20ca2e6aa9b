import { memo } from 'react';
import type { Block } from './blocks/block-list.ts';
import { CodeBlock, parseFenced } from './code/code-block.tsx';
import { RenderedMarkdown } from './rendered-markdown.tsx';
import { FormulaBlock } from './formula.tsx';
import { TableBlock } from './table-block.tsx';
import { closeIncompleteMarkdown } from './blocks/close-incomplete.ts';

interface BlockViewProps extends Pick<Block, 'kind' | 'text' | 'closed' | 'number'> {
  /** Whether the block may still grow. */
  readonly growing: boolean;
  /** Markdown of the link and note definitions that the block refers to. */
  readonly below: string;
}

/** Shows one block of an answer. It renders again only when the block has changed. */
export const BlockView = memo(function BlockView(block: BlockViewProps) {
  const { kind, closed, below, growing } = block;
  if (kind === 'code') return <Code text={block.text} closed={closed || !growing} />;
  if (kind === 'math') return <FormulaBlock text={block.text} closed={closed} />;
  const text = growing ? closeIncompleteMarkdown(block) : block.text;
  if (kind === 'table') return <TableBlock text={text} below={below} />;
  // While a table is growing, its first line is already shown as a table.
  if (growing && text !== block.text && text.endsWith('---|')) {
    return <TableBlock text={text} below={below} />;
  }
  return <RenderedMarkdown text={withNumber(text, block.number)} below={below} />;
});

function Code({ text, closed }: { readonly text: string; readonly closed: boolean }) {
  const { code, language } = parseFenced(text);
  return (
    <CodeBlock
      code={closed ? withoutFence(code, text) : code}
      language={language}
      closed={closed}
    />
  );
}

/** Removes the closing fence of a code block and the line end before it. */
function withoutFence(code: string, text: string): string {
  const run = /^ {0,3}(?<run>`+|~+)/u.exec(text)?.groups?.['run'] ?? '```';
  const last = code.lastIndexOf('\n');
  const end = code.slice(last + 1).trim();
  const isFence = end.length >= run.length && end === run.charAt(0).repeat(end.length);
  return isFence ? code.slice(0, Math.max(0, last)) : code.replace(/\n$/u, '');
}

function withNumber(text: string, number: number | null): string {
  return number === null ? text : text.replace(/^( ?)\d{1,9}/u, `$1${number}`);
}
