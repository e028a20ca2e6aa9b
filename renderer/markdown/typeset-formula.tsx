import 'katex/dist/katex.min.css';
import { renderToString } from 'katex';
import { memo, type ReactNode } from 'react';
import ReactMarkdown from 'react-markdown';
import rehypeRaw from 'rehype-raw';
import classes from './markdown.module.css';

export interface TypesetProps {
  readonly source: string;
  readonly display: boolean;
  /** Shown when the text is not a valid formula. */
  readonly written: ReactNode;
}

/** Maximum length of a formula; longer ones would take long and are not written by people. */
const MAX_LENGTH = 4000;

/** Typesets a formula. The library brings a style sheet and fonts, so it is loaded only when there is a formula. */
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
    // The source is shown instead.
    return null;
  }
}

/** Builds React elements, because inline styles within HTML would violate the page's content security policy. */
function toElements(html: string): ReactNode {
  const tree = { type: 'root' as const, children: [{ type: 'raw' as const, value: html }] };
  return ReactMarkdown({ children: '', rehypePlugins: [() => () => tree, rehypeRaw] });
}
