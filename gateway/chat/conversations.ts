import type { Conversations } from './types.ts';
import { Mutex } from 'async-mutex';
import { join } from 'node:path';
import type { ChatMessage, ConversationId } from '../../shared/chat/chat.ts';
import type { Host } from '../host.ts';
import type { TrustedClock } from '../store/trusted-clock.ts';
import type { ChatTables, Store } from '../store/store.ts';
import { addTurns } from './store/add-turns.ts';
import { markInterrupted, saveAnswer } from './store/save-answer.ts';
import { addConversation, changeConversation, selectBranch } from './store/change-conversation.ts';
import { exportConversation } from './store/export-conversation.ts';
import type { ChatDeps } from './store/deps.ts';
import { readPage } from './store/list-conversations.ts';
import {
  deleteAllConversations,
  deleteConversation,
  removeUnusedImages,
} from './store/delete-conversation.ts';
import { toConversation } from './store/rows.ts';
import { findConversation, readMessages, readOpen, readPath } from './store/message-tree.ts';
import { type Images, openImages } from '../images/images.ts';
import { Emitter } from '../lib/emitter.ts';

export interface ConversationsOptions {
  readonly store: Store<ChatTables>;
  readonly host: Host;
  /** Runs work that erases deleted data from the file, and removes that data from the copies of the file as well. */
  readonly purgeWith: (work: () => Promise<void>) => Promise<void>;
  /** Clock for deleting images by age. */
  readonly clock: Pick<TrustedClock, 'now'>;
}

/** Opens the conversations of a data folder, with their images in `chat/images`. */
export function openConversations(options: ConversationsOptions): Conversations {
  const { store, host, purgeWith, clock } = options;
  const images = openImages({
    folder: join(host.dataDir, 'chat', 'images'),
    host: { randomBytes: host.randomBytes, now: () => clock.now() },
  });
  const deps = { store, host, images, mutex: new Mutex(), purgeWith };
  const { db } = store;
  const listeners = new Emitter<ConversationId>();
  return {
    page: (query) => readPage(store, query),
    async add(conversation) {
      const added = await addConversation(deps, conversation);
      listeners.emit(added.id);
      return added;
    },
    get: async (id) => toConversation(await findConversation(db, id)),
    open: (id) => readOpen(db, id),
    async change(id, change) {
      const changed = await changeConversation(deps, id, change);
      listeners.emit(id);
      return changed;
    },
    messages: (ids) => readMessages(db, ids),
    async pathTo(message) {
      const messagesOnPath: ChatMessage[] = [];
      for await (const messages of readPath(db, message)) messagesOnPath.push(...messages);
      return messagesOnPath;
    },
    async addTurns(id, turns) {
      const answers = await addTurns(deps, id, turns);
      listeners.emit(id);
      return answers;
    },
    saveAnswer: (message, content) => saveAnswer(deps, message, content),
    async selectBranch(id, lane, message) {
      const changed = await selectBranch(deps, id, { lane, message });
      listeners.emit(id);
      return changed;
    },
    export: (id, format) => exportConversation(deps, id, format),
    async remove(id) {
      await deleteConversation(deps, id);
      listeners.emit(id);
    },
    async erase() {
      const erased = await deleteAllConversations(deps);
      for (const id of erased) listeners.emit(id);
      return erased.length;
    },
    async markInterrupted(problem) {
      for (const id of await markInterrupted(deps, problem)) listeners.emit(id);
    },
    on: (listener) => listeners.on(listener),
    images: withImageCleanup(deps),
  };
}

/** Removes unused images before a new one is added. */
function withImageCleanup(deps: ChatDeps): Images {
  const { images } = deps;
  return {
    async begin(file) {
      await removeUnusedImages(deps);
      return await images.begin(file);
    },
    append: (upload, piece) => images.append(upload, piece),
    finish: (upload) => images.finish(upload),
    importFile: (path) => images.importFile(path),
    find: (hash) => images.find(hash),
    remove: (hash) => images.remove(hash),
    removeUnused: (used) => images.removeUnused(used),
    removeAll: () => images.removeAll(),
  };
}
