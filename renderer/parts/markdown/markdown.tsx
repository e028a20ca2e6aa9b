import ReactMarkdown, { type Components } from 'react-markdown';
import rehypeSanitize from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';

interface MarkdownProps {
  readonly text: string;
  /** Whether more of the text is still to come. */
  readonly running: boolean;
}

/** An answer as its model meant it: formatted, and without anything that could act or load. */
export function Markdown({ text, running }: MarkdownProps) {
  return (
    <div aria-busy={running}>
      <ReactMarkdown
        remarkPlugins={[remarkGfm]}
        rehypePlugins={[rehypeSanitize]}
        components={COMPONENTS}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
}

/** Images of the web are told of and never loaded: their address could carry away what was said. */
const COMPONENTS: Components = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer" title={href}>
      {children}
    </a>
  ),
  img: ({ src, alt }) => (
    <a href={src} target="_blank" rel="noopener noreferrer" title={src}>
      {alt === undefined || alt === '' ? 'Image' : alt}
    </a>
  ),
};
