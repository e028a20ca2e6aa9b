import { z } from 'zod';

const KEY = 'gatehouse-chat-models';
const MAX_KEPT = 8;
const Ids = z.array(z.string());

/** Returns the models that the person chose for chats, the latest first. What traffic used or a chat was compared with is not among them. */
export function readModelChoices(): readonly string[] {
  try {
    return Ids.parse(JSON.parse(localStorage.getItem(KEY) ?? '[]'));
  } catch {
    return [];
  }
}

/** Remembers that the person chose this model for a chat: the next one begins with it. */
export function rememberModelChoice(id: string): void {
  const next = [id, ...readModelChoices().filter((other) => other !== id)].slice(0, MAX_KEPT);
  try {
    localStorage.setItem(KEY, JSON.stringify(next));
  } catch {
    // The storage is full of drafts: the choice is not remembered.
  }
}
