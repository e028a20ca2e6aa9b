import { memo, type ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import rehypeHighlight from 'rehype-highlight';

interface SyntaxHighlightProps {
  readonly code: string;
  readonly language: string;
}

/** Highlights code. The grammars are large, so they are loaded only when there is code. */
export const SyntaxHighlight = memo(function Colours({
  code,
  language,
}: SyntaxHighlightProps): ReactNode {
  const text = { type: 'text', value: code };
  const tree = {
    type: 'root' as const,
    children: [element('pre', [], element('code', [`language-${language}`], text))],
  };
  return ReactMarkdown({
    children: '',
    components: BARE,
    rehypePlugins: [() => () => tree, rehypeHighlight],
  });
});

const BARE: Components = {
  pre: ({ children }) => children,
  code: ({ children }) => children,
};

function element(tagName: string, className: string[], child: object) {
  return { type: 'element' as const, tagName, properties: { className }, children: [child] };
}
