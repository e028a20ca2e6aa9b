import { VisuallyHidden } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { ChatMessage, MessageId } from '../../../../shared/chat.ts';
import type { OpenChat } from '../open-chat.ts';
import { useRunningAnswers } from '../use-open-chat.ts';
import { problemTitle } from './problem-words.ts';

/** More is read where it stands. */
const MOST_TOLD = 500;

interface AnnouncedProps {
  readonly chat: OpenChat;
  /** Where the lanes end. */
  readonly ends: readonly MessageId[];
}

/** Says an answer aloud once, when it has ended, to whoever cannot see it. */
export function Announced({ chat, ends }: AnnouncedProps) {
  const running = useRunningAnswers(chat);
  const [shownAt] = useState(Date.now);
  const heard = useRef(new Set<MessageId>());
  const begun = useRef(new Set<MessageId>());
  const [told, setTold] = useState('');
  useEffect(() => {
    for (const id of running) begun.current.add(id);
    const ended = ends.flatMap((id) => {
      const message = chat.message(id);
      // Some end before they were seen running; older ones are no news.
      const isNews = message !== undefined && !running.includes(id) && !heard.current.has(id);
      return isNews && (message.createdAt >= shownAt || begun.current.has(id)) ? [message] : [];
    });
    if (ended.length === 0) return;
    for (const { id } of ended) heard.current.add(id);
    setTold(ended.map(wordsOf).join(' '));
  }, [chat, running, ends, shownAt]);
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
