import { useId, useState } from 'react';
import { listBlocks, type Block, type BlockList, appendText, NO_BLOCKS } from './block-list.ts';
import { BlockView } from './block-view.tsx';
import { useProgressive } from './use-progressive.ts';
import { FootnotesContext } from './footnote-link.tsx';
import { Footnotes } from './footnotes.tsx';
import { definitionsFor, collectReferences } from './references.ts';
import classes from './markdown.module.css';

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
  // The limit is slightly beyond the text, so that slowly arriving text is formatted at once.
  const formatted = useProgressive(MAX_AT_ONCE, text.length + MIN_AT_ONCE, stepAfter);
  const answer = useId();
  const notes = all.filter(({ kind }) => kind === 'note');
  const last = all.at(-1);
  return (
    <FootnotesContext value={answer}>
      <div className={classes['text'] ?? ''}>
        {all.map((block) =>
          block.kind === 'note' ? null : block.from >= formatted ? (
            <Waiting key={block.from} block={block} />
          ) : (
            <BlockView
              key={block.from}
              kind={block.kind}
              text={block.text}
              closed={block.closed}
              number={block.number}
              growing={running && block === last}
              below={definitionsFor(block.text, references)}
            />
          ),
        )}
        <Footnotes blocks={notes} references={references} />
      </div>
    </FootnotesContext>
  );
}

function Waiting({ block }: { readonly block: Block }) {
  return <div className={classes['waiting'] ?? ''}>{block.text}</div>;
}

/** Parses the blocks of a text incrementally. */
function useBlocks(text: string): BlockList {
  const [known, setKnown] = useState(() => appendText(NO_BLOCKS, text));
  if (known.text === text) return known;
  const next = appendText(known, text);
  setKnown(next);
  return next;
}

/**
 * Returns how many characters are formatted at once: few for a short text, so that it appears soon; more later, because
 * each step costs time in proportion to the length.
 */
const MIN_AT_ONCE = 1500;
const MAX_AT_ONCE = 6000;

function stepAfter(formatted: number): number {
  return Math.min(Math.max(MIN_AT_ONCE, formatted / 8), MAX_AT_ONCE);
}
