import { VisuallyHidden } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { ChatMessage, MessageId } from '../../../../shared/chat.ts';
import type { OpenChat } from '../open-chat.ts';
import { useRunningAnswers } from '../use-open-chat.ts';
import { problemTitle } from './problem-words.ts';

/** More is read where it stands. */
const MOST_TOLD = 500;

/** Says an answer aloud once, when it has ended, to whoever cannot see it. */
export function Announced({ chat }: { readonly chat: OpenChat }) {
  const running = useRunningAnswers(chat);
  const before = useRef<readonly MessageId[]>(running);
  const [told, setTold] = useState('');
  useEffect(() => {
    const ended = before.current.filter((id) => !running.includes(id));
    before.current = running;
    const words = ended.flatMap((id) => {
      const message = chat.message(id);
      return message === undefined ? [] : [wordsOf(message)];
    });
    if (words.length > 0) setTold(words.join(' '));
  }, [chat, running]);
  return <VisuallyHidden role="status">{told}</VisuallyHidden>;
}

function wordsOf({ text, answer }: ChatMessage): string {
  if (answer === null) return '';
  const { model, problem, state } = answer;
  if (problem !== null) {
    return `${model}: ${problemTitle(problem.by, state === 'refused' ? 'refused' : 'broken')}. ${problem.sentence}`;
  }
  return `${model} has answered: ${text.slice(0, MOST_TOLD)}`;
}
