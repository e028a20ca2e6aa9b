import 'katex/dist/katex.min.css';
import { __renderToDomTree as renderToTree, type KatexOptions } from 'katex';
import { memo, type ReactNode, useCallback, useMemo } from 'react';
import classes from './markdown.module.css';

export interface TypesetProps {
  readonly source: string;
  readonly display: boolean;
  /** Shown when the text is not a valid formula. */
  readonly written: ReactNode;
}

/** Maximum length of a formula; longer ones would take long and are not written by people. */
const MAX_LENGTH = 4000;

const FONTS = [
  '1em KaTeX_Main',
  'italic 1em KaTeX_Math',
  '1em KaTeX_AMS',
  '1em KaTeX_Size1',
  '1em KaTeX_Size2',
  '1em KaTeX_Size3',
  '1em KaTeX_Size4',
];

/**
 * Loads the fonts of most formulas. Without them, the browser searches all fonts of the system for their signs, which takes up to
 * 0.2 s.
 */
export async function loadFonts(): Promise<void> {
  // A font that cannot be loaded is replaced by another.
  await Promise.allSettled(FONTS.map((font) => document.fonts.load(font)));
}

/**
 * Typesets a formula. The library brings a style sheet and fonts, so it is loaded only when there is a formula. The nodes are
 * made while React renders, which it interrupts for other work, and not in one go with the rest of an answer.
 */
export const TypesetFormula = memo(
  function Typeset({ source, display, written }: TypesetProps) {
    const node = useMemo(() => typeset(source, display), [source, display]);
    const fill = useCallback(
      (host: HTMLElement | null) => {
        if (node !== null) host?.replaceChildren(node);
      },
      [node],
    );
    if (node === null) return written;
    return (
      <span ref={fill} className={classes['formula'] ?? ''} data-display={display || undefined} />
    );
  },
  (before, now) => before.source === now.source && before.display === now.display,
);

/** A node of KaTeX's own tree. */
interface FormulaNode {
  readonly attributes?: Record<string, string>;
  readonly children?: readonly FormulaNode[];
  toNode(): Node;
}

declare module 'katex' {
  // oxlint-disable-next-line eslint/no-underscore-dangle -- KaTeX's own name
  export function __renderToDomTree(source: string, options: KatexOptions): FormulaNode;
}

/**
 * Returns the node of a typeset formula; `null` when the text is none. Its styles are set as properties: a style attribute
 * would violate the page's content security policy.
 */
function typeset(source: string, display: boolean): Node | null {
  if (source.length > MAX_LENGTH) return null;
  try {
    const tree = renderToTree(source, {
      displayMode: display,
      throwOnError: true,
      strict: 'ignore',
      trust: false,
      maxExpand: 300,
      maxSize: 20,
    });
    dropStyleAttributes(tree);
    return tree.toNode();
  } catch {
    // The source is shown instead.
    return null;
  }
}

/** Only the invisible MathML of a few commands has them. */
function dropStyleAttributes({ attributes, children }: FormulaNode): void {
  if (attributes !== undefined) delete attributes['style'];
  for (const child of children ?? []) dropStyleAttributes(child);
}
