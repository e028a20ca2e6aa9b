import { type FunctionComponent, lazy, Suspense } from 'react';
import type { TypesetProps } from './typeset-formula.tsx';
import classes from './markdown.module.css';

// A page that outlived its Gatehouse does not get it any more: then formulas stay as they were written.
const TypesetFormula = lazy(async (): Promise<{ default: FunctionComponent<TypesetProps> }> => {
  try {
    return { default: (await import('./typeset-formula.tsx')).TypesetFormula };
  } catch {
    return { default: AsWritten };
  }
});

interface FormulaProps {
  readonly source: string;
  /** Whether it stands by itself. */
  readonly display: boolean;
}

/** A formula; as it was written until it can be set, and when it cannot. */
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

/** A formula that is a block of its own, with the few words that may follow it. */
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
