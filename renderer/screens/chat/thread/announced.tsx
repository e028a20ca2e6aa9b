import { VisuallyHidden } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { ChatMessage } from '../../../../shared/chat.ts';
import type { OpenChat } from '../open-chat.ts';
import { problemTitle } from './problem-words.ts';

/** More is read where it stands. */
const MOST_TOLD = 500;

/** Says an answer aloud once, when it has ended, to whoever cannot see it. */
export function Announced({ chat }: { readonly chat: OpenChat }) {
  const [told, setTold] = useState('');
  useEffect(() => {
    const look = (): void => {
      const ended = chat.takeEnded();
      if (ended.length > 0) setTold(ended.map(wordsOf).join(' '));
    };
    look();
    return chat.onState(look);
  }, [chat]);
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
