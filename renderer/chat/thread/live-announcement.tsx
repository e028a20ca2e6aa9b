import { VisuallyHidden } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { ChatMessage } from '../../../shared/chat/chat.ts';
import type { ConversationStore } from '../store/conversation-store.ts';
import { problemTitle } from './answer/problem-text.ts';

/** Maximum length of an announcement; longer answers are read in the thread. */
const MAX_ANNOUNCED_LENGTH = 500;

/** Announces a completed answer once to screen readers. */
export function LiveAnnouncement({ chat }: { readonly chat: ConversationStore }) {
  const [announced, setAnnounced] = useState('');
  useEffect(() => {
    const update = (): void => {
      const ended = chat.takeEnded();
      if (ended.length > 0) setAnnounced(ended.map(announcement).join(' '));
    };
    update();
    return chat.onState(update);
  }, [chat]);
  return <VisuallyHidden role="status">{announced}</VisuallyHidden>;
}

function announcement({ text, answer }: ChatMessage): string {
  if (answer === null) return '';
  const { model, problem, state } = answer;
  if (problem !== null) {
    return `${model}: ${problemTitle(problem.by, state === 'refused' ? 'refused' : 'broken')}. ${problem.sentence}`;
  }
  return `${model} has answered: ${text.slice(0, MAX_ANNOUNCED_LENGTH)}`;
}
