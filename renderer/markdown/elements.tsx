import { ScrollArea } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Components, ExtraProps } from 'react-markdown';
import { CodeBlock } from './code/code-block.tsx';
import { Formula } from './formula.tsx';
import { ExternalLink } from './external-link.tsx';
import { FootnoteLink } from './footnote-link.tsx';
import classes from './markdown.module.css';

type Node = NonNullable<ExtraProps['node']>;

/** The React components for the HTML elements of an answer. */
export const ELEMENTS: Components = {
  a: ({ href, children, node }) => (
    <ExternalLink address={href ?? ''} words={collectText(node)}>
      {children}
    </ExternalLink>
  ),
  // A remote image is mentioned and never loaded: its URL could leak the conversation.
  img: ({ src, alt }) => {
    const words = alt === undefined || alt === '' ? 'image' : `image: ${alt}`;
    return (
      <ExternalLink address={typeof src === 'string' ? src : ''} words={words}>
        {words}
      </ExternalLink>
    );
  },
  code: ({ className, children, node }) => {
    if (className?.includes('math-') === true) {
      return <Formula source={collectText(node)} display={className.includes('math-display')} />;
    }
    return <code className={classes['inline'] ?? ''}>{children}</code>;
  },
  pre: ({ node, children }) => {
    const code = node?.children[0];
    if (code?.type !== 'element' || code.tagName !== 'code') return <pre>{children}</pre>;
    const [className] = [code.properties['className']].flat();
    const language = /^language-(?<name>.+)$/u.exec(String(className))?.groups?.['name'] ?? '';
    return <CodeBlock code={collectText(code).replace(/\n$/u, '')} language={language} closed />;
  },
  sup: ({ children, node }) => {
    const note = node?.properties['dataNote'];
    return typeof note === 'string' ? <FootnoteLink number={note} /> : <sup>{children}</sup>;
  },
  input: ({ checked }) => (
    <input
      type="checkbox"
      checked={checked === true}
      disabled
      aria-label={checked === true ? 'Done' : 'To do'}
    />
  ),
  table: ({ children }) => <TableFrame>{children}</TableFrame>,
  // An empty header cell labels nothing.
  th: ({ children, align }) =>
    children === undefined ? <td /> : <th align={align}>{children}</th>,
  h1: ({ children }) => <h3 data-level="1">{children}</h3>,
  h2: ({ children }) => <h4 data-level="2">{children}</h4>,
  h3: ({ children }) => <h5 data-level="3">{children}</h5>,
  h4: ({ children }) => <h6 data-level="4">{children}</h6>,
  h5: ({ children }) => <h6 data-level="4">{children}</h6>,
  h6: ({ children }) => <h6 data-level="4">{children}</h6>,
};

/** A table that scrolls by itself when it is wider than the text. */
export function TableFrame({ children }: { readonly children: ReactNode }) {
  return (
    <ScrollArea.Autosize
      type="auto"
      mah="70vh"
      offsetScrollbars="present"
      viewportProps={{ tabIndex: 0 }}
      className={classes['frame'] ?? ''}
    >
      <table>{children}</table>
    </ScrollArea.Autosize>
  );
}

function collectText(node: Node | Node['children'][number] | undefined): string {
  if (node === undefined) return '';
  if (node.type === 'text') return node.value;
  return node.type === 'element' ? node.children.map(collectText).join('') : '';
}
