import { Text } from '@mantine/core';
import { type FunctionComponent, lazy, memo, Suspense } from 'react';
import { CopyButton } from '../../components/copy-button.tsx';
import { highlightedLength, LINES_PER_PIECE, splitPieces } from './code-lines.ts';
import classes from '../markdown.module.css';

// A page that is older than the running Gatehouse cannot load the module any more: then code is not highlighted.
const SyntaxHighlight = lazy(async (): Promise<{ default: FunctionComponent<CodeProps> }> => {
  try {
    return { default: (await import('./syntax-highlight.tsx')).SyntaxHighlight };
  } catch {
    return { default: CodePieces };
  }
});

type CodeProps = Pick<CodeBlockProps, 'code' | 'language'>;

interface CodeBlockProps {
  readonly code: string;
  /** The language as its fence names it; empty when it names none. */
  readonly language: string;
  /** Whether the code is complete. */
  readonly closed: boolean;
}

/** Shows highlighted code with the name of its language and a button that copies the exact source. */
export const CodeBlock = memo(function CodeBlock({ code, language, closed }: CodeBlockProps) {
  const coloured = language === '' ? 0 : highlightedLength(code, closed);
  const first = code.slice(0, coloured);
  return (
    <figure className={classes['code'] ?? ''}>
      <figcaption>
        <Text size="xs" c="dimmed" truncate>
          {language === '' ? 'text' : language}
        </Text>
        <CopyButton value={code} what="the code" />
      </figcaption>
      <pre tabIndex={0} aria-label={language === '' ? 'Code' : `Code, ${language}`}>
        <code>
          {first !== '' && (
            <Suspense fallback={<CodePieces code={first} />}>
              <SyntaxHighlight code={first} language={language.toLowerCase()} />
            </Suspense>
          )}
          <CodePieces code={code.slice(coloured)} />
        </code>
      </pre>
    </figure>
  );
});

function CodePieces({ code }: Pick<CodeBlockProps, 'code'>) {
  return splitPieces(code).map((piece, index) => <CodePiece key={index} text={piece} />);
}

const CodePiece = memo(function Piece({ text }: { readonly text: string }) {
  const lines = text.endsWith('\n') ? LINES_PER_PIECE : text.split('\n').length;
  return (
    <span className={classes['piece'] ?? ''} style={{ containIntrinsicBlockSize: `${lines}lh` }}>
      {text}
    </span>
  );
});

/** Extracts the code between the fences of a code block, and the language that they name. */
export function parseFenced(text: string): Pick<CodeBlockProps, 'code' | 'language'> {
  const end = text.indexOf('\n');
  const { indent, info } = /^(?<indent> {0,3})(?:`+|~+)(?<info>[^\n]*)/u.exec(text)?.groups ?? {};
  const language = info?.trim().split(/[\s{,:]/u)[0] ?? '';
  if (end === -1) return { code: '', language };
  const inside = text.slice(end + 1);
  const depth = indent?.length ?? 0;
  if (depth === 0) return { code: inside, language };
  return { code: inside.replace(new RegExp(`^ {1,${depth}}`, 'gmu'), ''), language };
}
