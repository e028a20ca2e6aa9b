import { Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { type Piece, shortenSame, type ShownPiece } from '../../../../shared/compare/diff-text.ts';
import { formatCount } from '../../../../shared/format.ts';
import { LongText } from '../detail/bodies/long-text.tsx';
import { MoreButton } from '../detail/bodies/more-button.tsx';
import classes from './compare.module.css';

/** Number of pieces that are shown at first, and of those that are added on request. */
const STEP = 200;

/** Shows the differences of two texts, with the beginning and the end of what is the same between them. */
export function Pieces({ pieces }: { readonly pieces: readonly Piece[] }) {
  const shown = useMemo(() => shortenSame(pieces), [pieces]);
  const [count, setCount] = useState(STEP);
  if (pieces.every(({ kind }) => kind === 'same')) {
    return (
      <Text size="sm" c="dimmed">
        {pieces.length === 0 ? 'Both are empty.' : 'Both are the same.'}
      </Text>
    );
  }
  const remaining = shown.length - count;
  return (
    <>
      <div className={classes['text']}>
        {shown.slice(0, count).map((piece, place) => (
          <PieceView key={place} piece={piece} />
        ))}
      </div>
      {remaining > 0 && (
        <MoreButton onClick={() => setCount(count + STEP)}>
          Show more ({formatCount(remaining)} parts left)
        </MoreButton>
      )}
    </>
  );
}

function PieceView({ piece: { kind, text, omitted, rest } }: { readonly piece: ShownPiece }) {
  if (kind === 'same') {
    return (
      <span>
        {text}
        {omitted > 0 && (
          <span className={classes['omitted']}>… {formatCount(omitted)} characters …</span>
        )}
        {rest}
      </span>
    );
  }
  const content = <LongText text={text}>{(part) => part}</LongText>;
  return kind === 'removed' ? (
    <del className={classes['removed']}>{content}</del>
  ) : (
    <ins className={classes['added']}>{content}</ins>
  );
}
