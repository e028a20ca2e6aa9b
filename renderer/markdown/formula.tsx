import { type FunctionComponent, lazy, Suspense } from 'react';
import type { TypesetProps } from './typeset-formula.tsx';
import classes from './markdown.module.css';

// A page that is older than the running Gatehouse cannot load the module any more: then formulas stay as source text.
const TypesetFormula = lazy(async (): Promise<{ default: FunctionComponent<TypesetProps> }> => {
  try {
    const { TypesetFormula: Typeset, loadFonts } = await import('./typeset-formula.tsx');
    await loadFonts();
    return { default: Typeset };
  } catch {
    return { default: AsWritten };
  }
});

interface FormulaProps {
  readonly source: string;
  /** Whether the formula is a block of its own. */
  readonly display: boolean;
}

/** Shows a formula; its source until it is typeset, and when it cannot be. */
export function Formula({ source, display }: FormulaProps) {
  const written = (
    <code className={classes['inline'] ?? ''} data-display={display || undefined}>
      {source}
    </code>
  );
  return (
    <Suspense fallback={written}>
      <TypesetFormula source={source} display={display} written={written} />
    </Suspense>
  );
}

/** Shows a formula block, with the short text that may follow it. */
export function FormulaBlock({
  text,
  closed,
}: {
  readonly text: string;
  readonly closed: boolean;
}) {
  const written = text.trim();
  const inside = written.slice(2);
  const end = inside.indexOf(written.startsWith('$$') ? '$$' : '\\]');
  if (!closed || end === -1) return <pre className={classes['plain'] ?? ''}>{text}</pre>;
  return (
    <p>
      <Formula source={inside.slice(0, end).trim()} display />
      {inside.slice(end + 2)}
    </p>
  );
}

function AsWritten({ written }: TypesetProps) {
  return written;
}
