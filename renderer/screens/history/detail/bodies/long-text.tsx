import { type ReactNode, useState } from 'react';
import { pluralize } from '../../../../../shared/format.ts';
import { Markdown } from '../../../../markdown/markdown.tsx';
import classes from './bodies.module.css';
import { MoreButton } from './more-button.tsx';

/** Length from which only the beginning of a text is shown at first. */
const MAX_SHOWN = 4_000;
const BEGINNING = 2_000;

interface LongTextProps {
  readonly text: string;
  readonly children: (shown: string) => ReactNode;
}

/** Shows the beginning of a long text, and all of it on request. */
export function LongText({ text, children }: LongTextProps) {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > MAX_SHOWN;
  return (
    <>
      {children(isLong && !isWhole ? `${text.slice(0, BEGINNING)}…` : text)}
      {isLong && (
        <MoreButton isExpanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all ${pluralize(text.length, 'character')}`}
        </MoreButton>
      )}
    </>
  );
}

/** Shows a text as formatted Markdown. One that still grows is shown completely. */
export function LongMarkdown({
  text,
  isRunning,
}: {
  readonly text: string;
  readonly isRunning: boolean;
}) {
  if (isRunning) return <Markdown text={text} running />;
  return <LongText text={text}>{(shown) => <Markdown text={shown} running={false} />}</LongText>;
}

/** Shows a text of a person as it is: its tags and signs belong to it. */
export function Verbatim({ text }: { readonly text: string }) {
  return (
    <LongText text={text}>{(shown) => <div className={classes['verbatim']}>{shown}</div>}</LongText>
  );
}

/** Shows a text of a program as it is, in equal widths. */
export function PlainText({ text }: { readonly text: string }) {
  return (
    <LongText text={text}>{(shown) => <pre className={classes['plain']}>{shown}</pre>}</LongText>
  );
}
