import { z } from 'zod';
import { foldCase } from '../fold-case.ts';

const MAX_NOTE_LENGTH = 2_000;
export const MAX_TAGS = 20;
const MAX_TAG_LENGTH = 40;

const TAG = new RegExp(String.raw`^[^\s\p{Cc}]{1,${MAX_TAG_LENGTH}}$`, 'u');

/** A tag of an exchange. Tags that differ only in case are one. */
const Tag = z.string().regex(TAG, `A tag has 1 to ${MAX_TAG_LENGTH} characters and no spaces.`);

/** A note about an exchange; empty for none. */
const Note = z
  .string()
  .trim()
  .max(MAX_NOTE_LENGTH, `A note has at most ${MAX_NOTE_LENGTH} characters.`);

/** What a person has noted about an exchange. A pinned one is not deleted for its age, and for the size last. */
export const ExchangeMark = z.object({
  pinned: z.boolean(),
  /** Empty for none. */
  note: z.string(),
  tags: z.array(z.string()),
  /** Unix time in milliseconds. */
  changedAt: z.number().int(),
});
export type ExchangeMark = z.infer<typeof ExchangeMark>;

/** The part of a mark that a list shows. */
export const MarkSummary = ExchangeMark.pick({ pinned: true, tags: true }).extend({
  hasNote: z.boolean(),
});
export type MarkSummary = z.infer<typeof MarkSummary>;

/** A change of a mark; absent fields stay. Tags are added and removed one by one, so that two people can do it at once. */
export const MarkChange = z.object({
  pinned: z.boolean().optional(),
  note: Note.optional(),
  addTags: z.array(Tag).max(MAX_TAGS, `At most ${MAX_TAGS} tags.`).optional(),
  removeTags: z.array(Tag).max(MAX_TAGS).optional(),
});
export type MarkChange = z.infer<typeof MarkChange>;

/** Returns the text that equal tags have in common. */
export function toTagKey(tag: string): string {
  return foldCase(tag);
}
