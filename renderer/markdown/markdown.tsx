import { useCallback, useId, useState } from 'react';
import { AnswerPartView } from './answer-part-view.tsx';
import { splitParts } from './answer-parts.ts';
import { listBlocks, type BlockList, appendText, NO_BLOCKS } from './blocks/block-list.ts';
import { useProgressive } from './use-progressive.ts';
import { FootnotesContext } from './footnote-link.tsx';
import { Footnotes } from './footnotes.tsx';
import { collectReferences } from './blocks/references.ts';
import classes from './markdown.module.css';

/** Number of characters that are formatted at once, so that an ordinary answer never shows Markdown syntax. */
const FIRST_LENGTH = 6000;
/** Number of characters that are formatted in one of the steps after that. */
const MIN_STEP = 300;
const MAX_STEP = 6000;

interface MarkdownProps {
  readonly text: string;
  /** Whether more of the text is still to come. */
  readonly running: boolean;
}

/**
 * Shows an answer as formatted Markdown, without anything that could act or load. While it grows, finished blocks do not
 * render again.
 */
export function Markdown({ text, running }: MarkdownProps) {
  const all = listBlocks(useBlocks(text));
  const references = collectReferences(all);
  const formatted = useProgressive({
    first: FIRST_LENGTH,
    target: text.length,
    minStep: MIN_STEP,
    maxStep: MAX_STEP,
  });
  const answer = useId();
  const notes = all.filter(({ kind }) => kind === 'note');
  const growing = running ? all.at(-1) : undefined;
  const { layout, watchWidth } = useLayoutOf();
  return (
    <FootnotesContext value={answer}>
      <div ref={watchWidth} className={classes['text'] ?? ''}>
        {splitParts(all).map((part) => (
          <AnswerPartView
            key={part.blocks[0]?.from}
            part={part}
            references={references}
            formatted={formatted}
            growing={growing}
            layout={layout}
          />
        ))}
        <Footnotes blocks={notes} references={references} />
      </div>
    </FootnotesContext>
  );
}

/** Counts the changes of an element's width. */
function useLayoutOf() {
  const [layout, setLayout] = useState(0);
  const watchWidth = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined;
    let width = element.clientWidth;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth !== width) setLayout((before) => before + 1);
      width = element.clientWidth;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { layout, watchWidth };
}

/** Parses the blocks of a text incrementally. */
function useBlocks(text: string): BlockList {
  const [known, setKnown] = useState(() => appendText(NO_BLOCKS, text));
  if (known.text === text) return known;
  const next = appendText(known, text);
  setKnown(next);
  return next;
}
