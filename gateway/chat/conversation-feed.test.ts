import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type ChatEvent,
  type ChatMessage,
  ConversationId,
  MessageId,
} from '../../shared/chat/chat.ts';
import { CoalescingQueue } from './conversation-feed.ts';

const CONVERSATION = ConversationId.parse('c');
const IDS = ['a', 'b'].map((id) => MessageId.parse(id));

function message(id: MessageId, text: string): ChatMessage {
  return {
    id,
    conversation: CONVERSATION,
    parent: null,
    siblings: [id],
    createdAt: 0,
    text,
    reasoning: '',
    files: [],
    answer: null,
  };
}

test('a listener that starts at any time and reads at any speed gets every text without gap or repetition', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('delta' as const), which: fc.nat(1), text: fc.string() }),
    fc.record({ kind: fc.constant('state' as const), which: fc.nat(1) }),
    fc.record({ kind: fc.constant('begin' as const) }),
    fc.record({ kind: fc.constant('take' as const) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const texts = new Map(IDS.map((id) => [id, '']));
      const seen = new Map<string, string>();
      const queue = new CoalescingQueue();
      let isStarted = false;
      const take = () => {
        const event = queue.take();
        if (event?.kind === 'message') seen.set(event.message.id, event.message.text);
        if (event?.kind === 'delta') {
          const before = seen.get(event.id);
          expect(before).toBeDefined();
          seen.set(event.id, before + event.text);
        }
        return event;
      };
      const begin = () => {
        if (isStarted) return;
        isStarted = true;
        queue.begin(
          [...texts].map(([id, text]) => message(id, text)),
          [],
        );
      };
      for (const one of steps) {
        if (one.kind === 'begin') begin();
        if (one.kind === 'take' && isStarted) take();
        const id = 'which' in one ? IDS[one.which] : undefined;
        if (id === undefined) continue;
        const text = texts.get(id) ?? '';
        if (one.kind === 'delta') {
          texts.set(id, text + one.text);
          queue.put({ kind: 'delta', id, text: one.text, reasoning: '' });
        } else {
          queue.put({ kind: 'message', message: message(id, text) });
        }
      }
      begin();
      for (let left = 0; take() !== undefined; left += 1) expect(left).toBeLessThan(3);
      expect([...seen]).toEqual(expect.arrayContaining([...texts]));
    }),
  );
});

test('a saved message is sent only when no newer event is queued, and nothing follows the removal', () => {
  const [a, b] = IDS;
  if (a === undefined || b === undefined) throw new Error('There are two.');
  const queue = new CoalescingQueue();
  queue.put({ kind: 'message', message: message(a, 'new') });
  queue.begin([], [message(a, 'old'), message(b, 'kept')]);
  const nextText = () => {
    const event: ChatEvent | undefined = queue.take();
    return event?.kind === 'message' ? event.message.text : event?.kind;
  };
  expect([nextText(), nextText(), nextText()]).toEqual(['new', 'kept', undefined]);
  queue.put({ kind: 'changed' });
  queue.put({ kind: 'removed' });
  queue.begin([message(a, 'late')], []);
  expect([nextText(), nextText()]).toEqual(['removed', undefined]);
});
