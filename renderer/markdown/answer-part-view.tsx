import { memo, useEffect, useState } from 'react';
import { whenIdle } from '../hooks/when-idle.ts';
import { type AnswerPart, haveSameBlocks } from './answer-parts.ts';
import type { Block } from './blocks/block-list.ts';
import { BlockView } from './block-view.tsx';
import { definitionsFor, type References } from './blocks/references.ts';
import classes from './markdown.module.css';

interface AnswerPartViewProps {
  readonly part: AnswerPart;
  readonly references: References;
  /** Offset in the text up to which it is formatted. */
  readonly formatted: number;
  /** The block that may still grow. */
  readonly growing: Block | undefined;
  /** Changes whenever the answer has another width. */
  readonly layout: number;
}

/** Shows a part of an answer. It renders again only when one of its blocks has changed. */
export const AnswerPartView = memo(
  function Part({ part, references, formatted, growing, layout }: AnswerPartViewProps) {
    const isComplete = part.blocks.every((block) => block.from < formatted && block !== growing);
    const isLaidOut = useLaidOut(isComplete, layout);
    return (
      <div
        className={classes['part'] ?? ''}
        data-joins={part.joins || undefined}
        data-laid-out={isLaidOut || undefined}
      >
        {part.blocks.map((block) =>
          block.kind === 'note' ? null : block.from >= formatted ? (
            <div key={block.from} className={classes['waiting'] ?? ''}>
              {block.text}
            </div>
          ) : (
            <BlockView
              key={block.from}
              kind={block.kind}
              text={block.text}
              closed={block.closed}
              number={block.number}
              growing={block === growing}
              below={definitionsFor(block.text, references)}
            />
          ),
        )}
      </div>
    );
  },
  (before, now) =>
    haveSameBlocks(before.part, now.part) &&
    before.references === now.references &&
    findGrowing(before) === findGrowing(now) &&
    before.layout === now.layout &&
    countFormatted(before) === countFormatted(now),
);

function findGrowing({ part, growing }: AnswerPartViewProps): Block | undefined {
  return part.blocks.find((block) => block === growing);
}

function countFormatted({ part, formatted }: AnswerPartViewProps): number {
  return part.blocks.filter(({ from }) => from < formatted).length;
}

/**
 * Returns whether a complete part was laid out in its present width. Its height is known then, so that the browser may skip it
 * while it is far from the visible area.
 */
function useLaidOut(isComplete: boolean, layout: number): boolean {
  const [known, setKnown] = useState<number | null>(null);
  useEffect(() => {
    if (isComplete && known !== layout) return whenIdle(() => setKnown(layout));
    return undefined;
  }, [isComplete, known, layout]);
  return isComplete && known === layout;
}
