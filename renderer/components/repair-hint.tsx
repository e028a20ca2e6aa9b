import { Code, Group, Text } from '@mantine/core';
import { IconTool } from '@tabler/icons-react';
import type { Repair } from '../../shared/exchange/repair.ts';
import classes from './repair-hint.module.css';
import { CopyButton } from './copy-button.tsx';
import { advisedValue, type TextPiece, describeRepair } from '../format/repair.ts';

interface RepairHintProps {
  readonly repair: Repair;
  /** `null` for a client without a name. */
  readonly clientName: string | null;
}

/** Explains a repair: the value sent, the change made, and what to change in the client. */
export function RepairHint({ repair, clientName }: RepairHintProps) {
  return (
    <div className={classes['hint']}>
      <IconTool size={16} stroke={1.7} aria-hidden className={classes['icon']} />
      <div>
        <Text size="sm">{describeRepair(repair, clientName).map(renderPiece)}</Text>
        <RepairAdvice repair={repair} />
      </div>
    </div>
  );
}

/** Says what to change in the client, with the value to enter and its copy button where there is one. */
export function RepairAdvice({
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
          <CopyButton value={value} what="the recommended value" />
        </Group>
      )}
    </>
  );
}

function renderPiece(part: TextPiece, index: number) {
  if (typeof part === 'string') return <span key={index}>{part}</span>;
  return <Code key={index}>{part.value}</Code>;
}
