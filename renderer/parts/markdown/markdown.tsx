import { startTransition, useDeferredValue, useEffect, useId, useState } from 'react';
import { allOf, type Block, type Blocks, grow, NO_BLOCKS } from './blocks.ts';
import { BlockView } from './block-view.tsx';
import { NotesOf } from './note-link.tsx';
import { Notes } from './notes.tsx';
import { belowOf, referencesOf } from './references.ts';
import classes from './markdown.module.css';

interface MarkdownProps {
  readonly text: string;
  /** Whether more of the text is still to come. */
  readonly running: boolean;
}

/**
 * An answer as its model meant it: formatted, and without anything that could act or load. While it grows, what is finished stays as it is;
 * typing and scrolling come first.
 */
export function Markdown({ text, running }: MarkdownProps) {
  const shown = useDeferredValue(text);
  const all = allOf(useBlocks(shown));
  const references = referencesOf(all);
  const formatted = useFormatted(shown.length);
  const answer = useId();
  const notes = all.filter(({ kind }) => kind === 'note');
  const last = all.at(-1);
  return (
    <NotesOf value={answer}>
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
              below={belowOf(block.text, references)}
            />
          ),
        )}
        <Notes blocks={notes} references={references} />
      </div>
    </NotesOf>
  );
}

function Waiting({ block }: { readonly block: Block }) {
  return <div className={classes['waiting'] ?? ''}>{block.text}</div>;
}

/** The blocks of a text; what was found before is found no second time. */
function useBlocks(text: string): Blocks {
  const [known, setKnown] = useState(() => grow(NO_BLOCKS, text));
  if (known.text === text) return known;
  const next = grow(known, text);
  setKnown(next);
  return next;
}

/** So much of a long text is formatted in one go. */
const AT_ONCE = 6000;

/**
 * Up to where a text is formatted: always a little further than it goes, so that what comes is formatted at once. A long one that is there
 * at once, or comes too fast, is formatted little by little, so that nothing stands still.
 */
function useFormatted(length: number): number {
  const [upTo, setUpTo] = useState(AT_ONCE);
  useEffect(() => {
    if (upTo < length + AT_ONCE) startTransition(() => setUpTo(upTo + AT_ONCE));
  }, [upTo, length]);
  return upTo;
}
