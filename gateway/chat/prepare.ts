import { readFile } from 'node:fs/promises';
import type { Answer, ChatFile, ChatMessage, ChatSettings } from '../../shared/chat.ts';
import type { DiskFile } from '../disk.ts';
import { NotFound, Refused } from '../refused.ts';
import type { Conversations } from './conversations.ts';
import { requestFor, type TextRequest } from './request.ts';

type Image = Extract<ChatFile, { readonly kind: 'image' }>;

export interface PrepareAsked {
  readonly message: Pick<ChatMessage, 'parent'>;
  readonly answer: Pick<Answer, 'model' | 'protocol' | 'plain'>;
  readonly settings: ChatSettings;
}

/** As much as the proxy takes. */
const MOST_SENT = 64 * 1024 * 1024;

/** The request for an answer, with everything that was said before it. @throws NotFound when an image is gone, Refused when it is too much */
export async function prepare(
  { message, answer, settings }: PrepareAsked,
  { pathTo, images }: Pick<Conversations, 'pathTo' | 'images'>,
): Promise<TextRequest> {
  const path = message.parent === null ? [] : await pathTo(message.parent);
  const found = new Map<string, DiskFile>();
  let size = settings.system.length;
  for (const { text, files } of path) {
    size += text.length;
    for (const file of files) {
      if (file.kind === 'text') size += file.text.length;
      else size += await sizeOf(file);
    }
  }
  // Before any image is read: all of them together may be more than there is memory.
  if (size > MOST_SENT) throw tooMuch();
  const data = new Map<string, string>();
  for (const [hash, file] of found) data.set(hash, await readFile(file.path, 'base64'));
  const { model, protocol, plain } = answer;
  const base64Of = ({ hash }: Image) => data.get(hash) ?? '';
  return requestFor({ protocol, model, settings, path, plain, base64Of });

  /** In base64. */
  async function sizeOf({ hash, name }: Image): Promise<number> {
    const file = found.get(hash) ?? (await images.find(hash));
    if (file === null) throw new NotFound(`The image ${name} is not there any more.`);
    found.set(hash, file);
    return Math.ceil(file.bytes / 3) * 4;
  }
}

function tooMuch(): Refused {
  return new Refused(
    'With its images this conversation has more than 64 MiB, the most that is sent at once. Begin a new one, or edit the message with the largest image.',
  );
}
