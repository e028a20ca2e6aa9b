import { Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { Answer, ChatProblem } from '../../../../shared/chat/chat.ts';
import { RefusingLimit } from '../../../components/limit-dialog/refusing-limit.tsx';
import classes from './answer.module.css';
import { problemTitle, describeSuspect } from './problem-text.ts';

interface AnswerProblemProps {
  readonly answer: Answer;
  readonly problem: ChatProblem;
  readonly onRetry: (plain: boolean) => void;
}

/** Explains a failed answer: its origin, its meaning, and what can be done. */
export function AnswerProblem({ answer: { state, plain }, problem, onRetry }: AnswerProblemProps) {
  const suspect = describeSuspect(problem);
  const title = problemTitle(problem.by, state === 'refused' ? 'refused' : 'broken');
  return (
    <div className={classes['problem']} role="group" aria-label={title}>
      <IconAlertTriangle size={16} stroke={1.8} aria-hidden />
      <div>
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <Text size="sm">{problem.sentence}</Text>
        {suspect !== null && <Text size="sm">{suspect}</Text>}
        {problem.by === 'gatehouse' && <RefusingLimit refusal={problem.sentence} />}
        <Group gap="xs" mt={8}>
          {suspect !== null && !plain && (
            <Button size="compact-sm" onClick={() => onRetry(true)}>
              Retry without extra settings
            </Button>
          )}
          <Button size="compact-sm" variant="default" onClick={() => onRetry(false)}>
            Try again
          </Button>
        </Group>
      </div>
    </div>
  );
}
