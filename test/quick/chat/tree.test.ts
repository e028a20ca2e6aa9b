import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ChatMessage, ConversationId, MessageId } from '../../../shared/chat/chat.ts';
import {
  createConversationInput,
  createTurnInput,
  type ChatFolder,
  openChatFolder,
  userMessage,
} from '../../kit/chat/chat-folder.ts';

type Act =
  | { readonly kind: 'say' | 'edit' | 'retry'; readonly lanes: 1 | 2 | 3; readonly pick: number }
  | { readonly kind: 'go'; readonly lane: number; readonly pick: number };

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('say', 'edit', 'retry'),
    lanes: fc.constantFrom(1, 2, 3),
    pick: fc.nat(),
  }),
  fc.record({ kind: fc.constant('go'), lane: fc.nat(2), pick: fc.nat() }),
);

/** The expected tree: every message ever created, by id, in order of creation. */
type Known = Map<MessageId, { readonly parent: MessageId | null; readonly text: string }>;

async function perform(
  { conversations }: ChatFolder,
  id: ConversationId,
  { act: done, known }: { readonly act: Act; readonly known: Known },
): Promise<void> {
  const { lanes } = await conversations.get(id);
  const all = [...known];
  const picked = all[done.pick % Math.max(1, all.length)];
  if (done.kind === 'go') {
    if (picked === undefined) return;
    const { lanes: after } = await conversations.selectBranch(id, done.lane, picked[0]);
    const end = after[done.lane]?.at ?? null;
    expect(pathToRoot(known, end)).toContain(picked[0]);
    expect([...known.values()].map(({ parent }) => parent)).not.toContain(end);
    return;
  }
  const text = `said ${known.size}`;
  const turns = lanes.slice(0, done.lanes).flatMap(({ at, model }, lane) => {
    if (done.kind === 'say') return [createTurnInput({ lane, model }, at, userMessage(text))];
    const asked = at === null ? null : (known.get(at)?.parent ?? null);
    if (asked === null) return [];
    if (done.kind === 'retry') return [createTurnInput({ lane, model: 'other' }, asked, null)];
    return [createTurnInput({ lane, model }, known.get(asked)?.parent ?? null, userMessage(text))];
  });
  const answers = await conversations.addTurns(id, turns);
  for (const message of await conversations.messages(findParents(answers)))
    remember(known, message);
  for (const answer of answers) remember(known, answer);
  const { lanes: after } = await conversations.get(id);
  expect(turns.map(({ lane }) => after[lane]?.at)).toEqual(answers.map((answer) => answer.id));
}

function findParents(answers: readonly ChatMessage[]): MessageId[] {
  return [...new Set(answers.flatMap(({ parent }) => parent ?? []))];
}

function remember(known: Known, { id, parent, text }: ChatMessage): void {
  if (!known.has(id)) known.set(id, { parent, text });
}

/** Returns the path from a message to the first one. */
function pathToRoot(known: Known, from: MessageId | null): MessageId[] {
  const path: MessageId[] = [];
  for (let at = from; at !== null; at = known.get(at)?.parent ?? null) path.push(at);
  return path;
}

test('no sequence of messages, edits, retries and branch changes loses a message or breaks a path', async () => {
  await using folder = await openChatFolder();
  const { conversations } = folder;
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 12 }), async (acts) => {
      const { id } = await conversations.add(createConversationInput('a', 'b', 'c'));
      const known: Known = new Map();
      for (const one of acts) await perform(folder, id, { act: one, known });
      const { conversation, paths } = await conversations.open(id);
      expect(paths.map((path) => path.map((entry) => entry.id))).toEqual(
        conversation.lanes.map(({ at }) => pathToRoot(known, at).toReversed()),
      );
      if (known.size === 0) return;
      const messages = await conversations.messages([...known.keys()].slice(0, 100));
      for (const { id: message, parent, siblings, text } of messages) {
        expect({ parent, text }).toEqual(known.get(message));
        const beside = [...known].filter(([, one]) => one.parent === parent).map(([one]) => one);
        expect(siblings).toEqual(beside);
      }
      expect(messages).toHaveLength(Math.min(100, known.size));
    }),
    { numRuns: 25 },
  );
});
