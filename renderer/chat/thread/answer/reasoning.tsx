import { UnstyledButton } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { pluralize } from '../../../../shared/format.ts';
import classes from './answer.module.css';

interface ReasoningProps {
  readonly text: string;
  /** Whether the model is still reasoning. */
  readonly thinking: boolean;
}

/** Shows the reasoning of a model, collapsed by default. */
export function Reasoning({ text, thinking }: ReasoningProps) {
  const id = useId();
  const [opened, setOpened] = useState(false);
  return (
    <div className={classes['reasoning']}>
      <UnstyledButton
        className={classes['disclosure'] ?? ''}
        aria-expanded={opened}
        aria-controls={id}
        onClick={() => setOpened(!opened)}
      >
        <IconChevronRight size={14} aria-hidden data-opened={opened || undefined} />
        {thinking ? (
          <span className={classes['thinking']}>Thinking…</span>
        ) : (
          <span data-figures>Thought in {pluralize(countWords(text), 'word')}</span>
        )}
      </UnstyledButton>
      <div id={id} hidden={!opened} className={classes['reasoningText']}>
        {opened && text}
      </div>
    </div>
  );
}

function countWords(text: string): number {
  return text.trim().split(/\s+/u).length;
}
