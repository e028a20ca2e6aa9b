import { Text } from '@mantine/core';
import { memo } from 'react';
import type { ChatMessage, MessageId } from '../../../../shared/chat.ts';
import { Markdown } from '../../../parts/markdown/markdown.tsx';
import { isRunning } from '../held-messages.ts';
import { useMessage } from '../use-open-chat.ts';
import { AnswerActions } from './answer-actions.tsx';
import classes from './answer.module.css';
import { FiguresLine } from './figures-line.tsx';
import { useThread } from './in-thread.ts';
import { LeaveOut } from './leave-out.tsx';
import { Problem } from './problem.tsx';
import { Reasoning } from './reasoning.tsx';
import { thoughtIn } from './think.ts';
import { Waiting } from './waiting.tsx';

interface AnswerProps {
  readonly id: MessageId;
  /** The lanes that show it. */
  readonly lanes: readonly number[];
}

/** What a model answered, or is answering. */
export const AnswerOf = memo(function AnswerOf({ id, lanes }: AnswerProps) {
  const { chat } = useThread();
  const message = useMessage(chat, id);
  return message === undefined ? null : <AnswerMessage message={message} lanes={lanes} />;
});

interface AnswerMessageProps {
  readonly message: ChatMessage;
  readonly lanes: readonly number[];
}

function AnswerMessage({ message, lanes }: AnswerMessageProps) {
  const { acts } = useThread();
  const { id, answer } = message;
  if (answer === null) return null;
  const running = isRunning(message);
  const { reasoning, text, open } = thoughtIn(message.text, message.reasoning);
  return (
    <article className={classes['answer']} aria-label={answer.model} aria-busy={running}>
      <Text component="h2" className={classes['model']} title={answer.model}>
        {answer.model}
      </Text>
      {reasoning !== '' && (
        <Reasoning text={reasoning} thinking={running && (open || text === '')} />
      )}
      {text !== '' && <Markdown text={text} running={running} />}
      {running && text === '' && reasoning === '' && <Waiting since={message.createdAt} />}
      {!running && text === '' && answer.problem === null && (
        <Text size="sm" c="dimmed">
          {answer.state === 'stopped' ? 'Nothing had come yet.' : 'The answer has no text.'}
        </Text>
      )}
      {answer.problem !== null && !running && (
        <Problem
          answer={answer}
          problem={answer.problem}
          onRetry={(plain) => acts.retry(id, { plain })}
        />
      )}
      {!running && (
        <div className={classes['foot']}>
          <FiguresLine answer={answer} />
          <AnswerActions
            id={id}
            siblings={message.siblings}
            answer={answer}
            text={text}
            lanes={lanes}
          />
        </div>
      )}
      {answer.plain && answer.state === 'done' && <LeaveOut message={message} />}
    </article>
  );
}
