import { Text, Button } from '@mantine/core';
import { splitReasoning } from './split-reasoning.ts';
import { memo } from 'react';
import type { ChatMessage, MessageId } from '../../../../shared/chat/chat.ts';
import { Markdown } from '../../../markdown/markdown.tsx';
import { isRunning } from '../../store/message-cache.ts';
import { useMessage, useMessages } from '../../store/use-conversation-store.ts';
import { AnswerActions } from './answer-actions.tsx';
import classes from './answer.module.css';
import { AnswerFacts } from './answer-facts.tsx';
import { ModelId } from '../../../components/model-id/model-id.tsx';
import { useClipped } from '../../../hooks/use-clipped.ts';
import { useNow } from '../../../hooks/use-now.ts';
import { useThread } from '../thread-context.ts';

import { AnswerProblem } from './answer-problem.tsx';
import { Reasoning } from './reasoning.tsx';
import { formatDuration } from '../../../../shared/format.ts';
import { findSetting } from './problem-text.ts';

interface AnswerProps {
  readonly id: MessageId;
  /** The lanes that show it. */
  readonly lanes: readonly number[];
}

/** Shows an answer of a model, complete or in progress. */
export const Answer = memo(function Answer({ id, lanes }: AnswerProps) {
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
  const { clipped, measuring } = useClipped();
  if (answer === null) return null;
  const running = isRunning(message);
  const { reasoning, text, open } = splitReasoning(message.text, message.reasoning);
  return (
    <article className={classes['answer']} aria-label={answer.model} aria-busy={running}>
      <Text
        component="h2"
        className={classes['model']}
        aria-label={answer.model}
        title={clipped ? answer.model : undefined}
        {...measuring}
      >
        <ModelId id={answer.model} />
      </Text>
      {reasoning !== '' && (
        <Reasoning text={reasoning} thinking={running && (open || text === '')} />
      )}
      {text !== '' && <Markdown text={text} running={running} />}
      {running && text === '' && reasoning === '' && <Waiting since={message.createdAt} />}
      {!running && text === '' && answer.problem === null && (
        <Text size="sm" c="dimmed">
          {answer.state === 'stopped' ? 'Nothing was received.' : 'The answer has no text.'}
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
        <div className={classes['footer']}>
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

const NOTICE_DELAY_MS = 5_000;

/** Shows that a model was asked and has not answered yet. `since` in Unix milliseconds. */
function Waiting({ since }: { readonly since: number }) {
  const waited = Math.floor((useNow() - since) / 1_000) * 1_000;
  return (
    <div className={classes['waiting']}>
      <span className={classes['dots']} aria-hidden>
        <i />
        <i />
        <i />
      </span>
      {waited >= NOTICE_DELAY_MS && (
        <span data-figures>Waiting for {formatDuration(waited).replace('.0', '')}</span>
      )}
    </div>
  );
}

/** Offers to omit a parameter from now on when an answer succeeded only without it. */
function DropParameterOffer({ message }: { readonly message: ChatMessage }) {
  const { chat, actions, conversation } = useThread();
  const suspect = useMessages(chat, message.siblings)
    .flatMap((sibling) => sibling?.answer?.problem?.suspects ?? [])
    .map(findSetting)
    .find((setting) => setting !== null && conversation.settings[setting.setting] !== null);
  if (suspect === undefined || suspect === null) return null;
  return (
    <div className={classes['suggestion']}>
      It worked without {suspect.name}.
      <Button
        size="compact-xs"
        variant="light"
        onClick={() => actions.setSettings({ [suspect.setting]: null })}
      >
        Omit {suspect.name} from now on
      </Button>
    </div>
  );
}
