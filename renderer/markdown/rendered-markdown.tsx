import { memo } from 'react';
import { renderMarkdown } from './render-markdown.ts';
import { ELEMENTS } from './elements.tsx';
import classes from './markdown.module.css';

interface RenderedMarkdownProps {
  readonly text: string;
  /** The definitions of the links and notes that it names. */
  readonly below: string;
}

/** Markdown, formatted; or as it was written, with a word about why. */
export const RenderedMarkdown = memo(function Drawn({ text, below }: RenderedMarkdownProps) {
  const drawn = renderMarkdown({ text, below, components: ELEMENTS });
  return drawn ?? <UnformattedText text={text} />;
});

/** A text as it was written, and that it is so. */
export function UnformattedText({ text }: { readonly text: string }) {
  return (
    <div className={classes['plain'] ?? ''}>
      <p>Shown as it was written: it is too deeply nested to be formatted.</p>
      <pre>{text}</pre>
    </div>
  );
}
