import { join } from 'node:path';
import type {
  Answer,
  ChatMessage,
  ChatProblem,
  Conversation,
  ConversationChange,
  ConversationId,
  ConversationPage,
  ConversationPlace,
  LaneModel,
  MessageId,
  NewConversation,
  OpenConversation,
  Said,
  TextProtocol,
} from '../../shared/chat.ts';
import type { Host } from '../host.ts';
import type { TrustedClock } from '../trusted-clock.ts';
import type { ChatTables, Store } from '../store/store.ts';
import { addTurns } from './adding.ts';
import { breakLeft, saveAnswer } from './answering.ts';
import { addConversation, changeConversation, goTo } from './changing.ts';
import { exportConversation } from './export.ts';
import type { ChatGround } from './ground.ts';
import { readPage } from './list.ts';
import { eraseConversations, removeConversation, tidyImages } from './removal.ts';
import { conversationOf } from './rows.ts';
import { findConversation, readMessages, readOpen, readPath } from './tree.ts';
import { type Images, openImages } from '../images/images.ts';
import { makeInTurn } from '../in-turn.ts';
import { Listeners } from '../listeners.ts';

export interface ConversationsAsked {
  readonly find: string;
  readonly limit: number;
  readonly before?: ConversationPlace | undefined;
}

/** What is put at the end of one lane, or elsewhere in it: a saying (`null` for another answer to what was said) and the answer to it. */
export interface NewTurn {
  readonly lane: number;
  /** What the saying follows, or, without one, what the answer answers. */
  readonly parent: MessageId | null;
  readonly said: Said | null;
  readonly answer: LaneModel & { readonly protocol: TextProtocol; readonly plain: boolean };
}

/** What of an answer may change while it comes. */
export type AnswerContent = Pick<ChatMessage, 'text' | 'reasoning'> & { readonly answer: Answer };

/** The conversations of a data folder, as they are kept. Every change is one transaction. */
export interface Conversations {
  /** `running` is for whoever knows. */
  page(asked: ConversationsAsked): Promise<ConversationPage>;
  add(conversation: NewConversation): Promise<Conversation>;
  /** @throws NotFound */
  get(id: ConversationId): Promise<Conversation>;
  /** @throws NotFound */
  open(id: ConversationId): Promise<OpenConversation>;
  /** @throws NotFound, Refused */
  change(id: ConversationId, change: ConversationChange): Promise<Conversation>;
  /** In the order asked for; those that are gone are left out. */
  messages(ids: readonly MessageId[]): Promise<ChatMessage[]>;
  /** Everything from the beginning to this message, whole. @throws NotFound */
  pathTo(message: MessageId): Promise<ChatMessage[]>;
  /**
   * Adds the turns and takes their lanes there. Lanes that say the same after the same message share it. Gives the answers, `waiting`, in
   * the order of the turns. @throws NotFound, Refused when an image is gone
   */
  addTurns(id: ConversationId, turns: readonly NewTurn[]): Promise<ChatMessage[]>;
  /** Keeps an answer as it is now. Nothing happens when it is gone. */
  saveAnswer(message: MessageId, content: AnswerContent): Promise<void>;
  /** Takes a lane to the newest branch through a message. @throws NotFound */
  goTo(id: ConversationId, lane: number, message: MessageId): Promise<Conversation>;
  /** The text of a file, piece by piece. @throws NotFound */
  export(id: ConversationId, format: 'markdown' | 'json'): AsyncGenerator<string, void, void>;
  /**
   * Deletes it for good: rows, search words, images that no other needs. Nothing of it is left in the files then, unless another process
   * is reading them just now or the disk is full: what is left goes with the next deletion, or when Gatehouse ends. @throws NotFound
   */
  remove(id: ConversationId): Promise<void>;
  /** The same for all of them, and for images that nothing was said with yet. Resolves with how many. */
  erase(): Promise<number>;
  /** Turns every answer that an earlier run left on its way into a broken one, with this problem. */
  breakLeft(problem: ChatProblem): Promise<void>;
  /** Called after every change but `saveAnswer`, with the conversation, which may be gone. Returns what stops it. */
  on(listener: (id: ConversationId) => void): () => void;
  /** Those of messages, and those that are about to be. */
  readonly images: Images;
}

export interface ConversationsOptions {
  readonly store: Store<ChatTables>;
  readonly host: Host;
  /** Does the work that takes what was deleted out of the file, and takes it out of the copies of the file, too. */
  readonly forgetWith: (work: () => Promise<void>) => Promise<void>;
  /** By which images are deleted for their age. */
  readonly clock: Pick<TrustedClock, 'now'>;
}

/** Opens the conversations of a data folder, with their images in `chat/images`. */
export function openConversations(options: ConversationsOptions): Conversations {
  const { store, host, forgetWith, clock } = options;
  const images = openImages({
    folder: join(host.dataDir, 'chat', 'images'),
    host: { randomBytes: host.randomBytes, now: () => clock.now() },
  });
  const ground = { store, host, images, inTurn: makeInTurn(), forgetWith };
  const { db } = store;
  const listeners = new Listeners<ConversationId>();
  return {
    page: (asked) => readPage(store, asked),
    async add(conversation) {
      const added = await addConversation(ground, conversation);
      listeners.tell(added.id);
      return added;
    },
    get: async (id) => conversationOf(await findConversation(db, id)),
    open: (id) => readOpen(db, id),
    async change(id, change) {
      const changed = await changeConversation(ground, id, change);
      listeners.tell(id);
      return changed;
    },
    messages: (ids) => readMessages(db, ids),
    async pathTo(message) {
      const path: ChatMessage[] = [];
      for await (const messages of readPath(db, message)) path.push(...messages);
      return path;
    },
    async addTurns(id, turns) {
      const answers = await addTurns(ground, id, turns);
      listeners.tell(id);
      return answers;
    },
    saveAnswer: (message, content) => saveAnswer(ground, message, content),
    async goTo(id, lane, message) {
      const changed = await goTo(ground, id, { lane, message });
      listeners.tell(id);
      return changed;
    },
    export: (id, format) => exportConversation(ground, id, format),
    async remove(id) {
      await removeConversation(ground, id);
      listeners.tell(id);
    },
    async erase() {
      const erased = await eraseConversations(ground);
      for (const id of erased) listeners.tell(id);
      return erased.length;
    },
    async breakLeft(problem) {
      for (const id of await breakLeft(ground, problem)) listeners.tell(id);
    },
    on: (listener) => listeners.add(listener),
    images: tidyingImages(ground),
  };
}

/** Before another comes, those go that nothing was said with. */
function tidyingImages(ground: ChatGround): Images {
  const { images } = ground;
  return {
    async begin(file) {
      await tidyImages(ground);
      return await images.begin(file);
    },
    append: (upload, piece) => images.append(upload, piece),
    finish: (upload) => images.finish(upload),
    keep: (path) => images.keep(path),
    find: (hash) => images.find(hash),
    remove: (hash) => images.remove(hash),
    removeUnused: (used) => images.removeUnused(used),
    removeAll: () => images.removeAll(),
  };
}
