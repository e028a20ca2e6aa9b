import { Code, Group, Text } from '@mantine/core';
import { IconTool } from '@tabler/icons-react';
import type { Repair } from '../../shared/repair.ts';
import classes from './advice.module.css';
import { CopyButton } from './copy-button.tsx';
import { advisedValue, type Piece, repairTold } from './repair-words.ts';

interface AdviceProps {
  readonly repair: Repair;
  /** `null` for a client without a name. */
  readonly clientName: string | null;
}

/** A repair as a helpful remark: what was asked for, what was done, and what to change in the client. */
export function Advice({ repair, clientName }: AdviceProps) {
  return (
    <div className={classes['remark']}>
      <IconTool size={16} stroke={1.7} aria-hidden className={classes['sign']} />
      <div>
        <Text size="sm">{repairTold(repair, clientName).map(pieceOnPage)}</Text>
        <AdviceWords repair={repair} />
      </div>
    </div>
  );
}

/** What to change in the client, with the value to enter there and its copy button, where there is one. */
export function AdviceWords({
  repair,
}: {
  readonly repair: Pick<Repair, 'code' | 'advice'> & { readonly after?: string };
}) {
  const value = advisedValue(repair);
  return (
    <>
      <Text size="sm" c="dimmed">
        {repair.advice}
      </Text>
      {value !== null && (
        <Group gap={2} wrap="nowrap" mt={4}>
          <Code>{value}</Code>
          <CopyButton value={value} what="the advised value" />
        </Group>
      )}
    </>
  );
}

function pieceOnPage(piece: Piece, place: number) {
  if (typeof piece === 'string') return <span key={place}>{piece}</span>;
  return <Code key={place}>{piece.value}</Code>;
}
