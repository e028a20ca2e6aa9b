import { memo } from 'react';
import { renderMarkdown } from './render-markdown.ts';
import { ELEMENTS } from './elements.tsx';
import classes from './markdown.module.css';

interface RenderedMarkdownProps {
  readonly text: string;
  /** Markdown of the link and note definitions that the text refers to. */
  readonly below: string;
}

/** Shows formatted Markdown, or its source with the reason. */
export const RenderedMarkdown = memo(function Drawn({ text, below }: RenderedMarkdownProps) {
  const drawn = renderMarkdown({ text, below, components: ELEMENTS });
  return drawn ?? <UnformattedText text={text} />;
});

/** Shows a source text with a note that it is not formatted. */
export function UnformattedText({ text }: { readonly text: string }) {
  return (
    <div className={classes['plain'] ?? ''}>
      <p>Shown as plain text: it is too deeply nested to format.</p>
      <pre>{text}</pre>
    </div>
  );
}
