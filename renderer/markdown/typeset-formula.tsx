import 'katex/dist/katex.min.css';
import { renderToString } from 'katex';
import { memo, type ReactNode } from 'react';
import ReactMarkdown from 'react-markdown';
import rehypeRaw from 'rehype-raw';
import classes from './markdown.module.css';

export interface TypesetProps {
  readonly source: string;
  readonly display: boolean;
  /** Shown when it is no formula. */
  readonly written: ReactNode;
}

/** No formula of people is longer, and more would take long. */
const MAX_LENGTH = 4000;

/** Sets a formula. It comes with its style sheet and fonts, so it is loaded when there is one. */
export const TypesetFormula = memo(
  function Typeset({ source, display, written }: TypesetProps) {
    const html = source.length > MAX_LENGTH ? null : renderToHtml(source, display);
    if (html === null) return written;
    return (
      <span className={classes['formula'] ?? ''} data-display={display || undefined}>
        {toElements(html)}
      </span>
    );
  },
  (before, now) => before.source === now.source && before.display === now.display,
);

function renderToHtml(source: string, display: boolean): string | null {
  try {
    return renderToString(source, {
      displayMode: display,
      throwOnError: true,
      strict: 'ignore',
      trust: false,
      maxExpand: 300,
      maxSize: 20,
    });
  } catch {
    // It is shown as it was written.
    return null;
  }
}

/** As elements, for styles within HTML would break the page's policy. */
function toElements(html: string): ReactNode {
  const tree = { type: 'root' as const, children: [{ type: 'raw' as const, value: html }] };
  return ReactMarkdown({ children: '', rehypePlugins: [() => () => tree, rehypeRaw] });
}
