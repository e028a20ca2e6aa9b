import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ChatMessage, ConversationId, MessageId } from '../../../shared/chat/chat.ts';
import { MessageCache } from './message-cache.ts';

const ID = MessageId.parse('m');

function answer(text: string, state: 'streaming' | 'done' = 'streaming'): ChatMessage {
  return {
    id: ID,
    conversation: ConversationId.parse('c'),
    parent: null,
    siblings: [ID],
    createdAt: 0,
    text,
    reasoning: '',
    files: [],
    answer: {
      state,
      model: 'm',
      protocol: 'chat',
      plain: false,
      modelServed: null,
      finish: null,
      exchangeId: null,
      firstTokenMs: null,
      durationMs: null,
      tokensPerSecond: null,
      usage: null,
      cost: null,
      problem: null,
    },
  };
}

test('whenever older states of it are asked for, what was told is neither lost nor doubled', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constant('ask'), fc.string())), (steps) => {
      const held = new MessageCache();
      held.setLive(answer(''));
      let text = '';
      for (const step of steps) {
        if (step === 'ask') {
          held.setFetched(answer(text.slice(0, -1)));
        } else {
          text += step;
          held.appendDelta({ kind: 'delta', id: ID, text: step, reasoning: '' });
        }
      }
      expect(held.get(ID)?.text).toBe(text);
    }),
  );
});

test('after a break, what was told counts no more, and everything is missing until it is asked for', () => {
  const held = new MessageCache();
  held.setLive(answer('half'));
  expect(held.missing([ID])).toEqual([]);
  held.markDisconnected();
  expect(held.missing([ID])).toEqual([ID]);
  expect(held.get(ID)?.text).toBe('half');
  expect(held.appendDelta({ kind: 'delta', id: ID, text: 'x', reasoning: '' })).toBe(false);
  held.setFetched(answer('whole', 'done'));
  expect(held.get(ID)?.text).toBe('whole');
  expect(held.missing([ID])).toEqual([]);
});

test('an answer on its way that nobody tells of is known as such', () => {
  const held = new MessageCache();
  held.setFetched(answer('half'));
  expect(held.runningWithoutFeed([ID])).toEqual([ID]);
  held.setLive(answer('half'));
  expect(held.runningWithoutFeed([ID])).toEqual([]);
});
