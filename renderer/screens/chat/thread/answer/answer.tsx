import { Text } from '@mantine/core';
import { memo } from 'react';
import type { ChatMessage, MessageId } from '../../../../../shared/chat.ts';
import { Markdown } from '../../../../markdown/markdown.tsx';
import { isRunning } from '../../store/message-cache.ts';
import { useMessage } from '../../store/use-conversation-store.ts';
import { AnswerActions } from './answer-actions.tsx';
import classes from './answer.module.css';
import { AnswerFacts } from './answer-facts.tsx';
import { useThread } from '../thread-context.ts';
import { DropParameterOffer } from './drop-parameter-offer.tsx';
import { AnswerProblem } from './answer-problem.tsx';
import { Reasoning } from './reasoning.tsx';
import { splitReasoning } from './split-reasoning.ts';
import { Waiting } from './waiting.tsx';

interface AnswerProps {
  readonly id: MessageId;
  /** The lanes that show it. */
  readonly lanes: readonly number[];
}

/** Shows an answer of a model, complete or in progress. */
export const Answer = memo(function AnswerOf({ id, lanes }: AnswerProps) {
  const { chat } = useThread();
  const message = useMessage(chat, id);
  return message === undefined ? null : <AnswerMessage message={message} lanes={lanes} />;
});

interface AnswerMessageProps {
  readonly message: ChatMessage;
  readonly lanes: readonly number[];
}

function AnswerMessage({ message, lanes }: AnswerMessageProps) {
  const { actions } = useThread();
  const { id, answer } = message;
  if (answer === null) return null;
  const running = isRunning(message);
  const { reasoning, text, open } = splitReasoning(message.text, message.reasoning);
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
        <AnswerProblem
          answer={answer}
          problem={answer.problem}
          onRetry={(plain) => actions.retry(id, { plain })}
        />
      )}
      {!running && (
        <div className={classes['foot']}>
          <AnswerFacts answer={answer} />
          <AnswerActions
            id={id}
            siblings={message.siblings}
            answer={answer}
            text={text}
            lanes={lanes}
          />
        </div>
      )}
      {answer.plain && answer.state === 'done' && <DropParameterOffer message={message} />}
    </article>
  );
}
