import { readFile } from 'node:fs/promises';
import type { Answer, ChatFile, ChatMessage, ChatSettings } from '../../../shared/chat/chat.ts';
import type { DiskFile } from '../../lib/disk.ts';
import { NotFoundError, UserError } from '../../errors.ts';
import type { Conversations } from '../types.ts';
import { buildRequest, type TextRequest } from './build-request.ts';

type Image = Extract<ChatFile, { readonly kind: 'image' }>;

export interface PrepareOptions {
  readonly message: Pick<ChatMessage, 'parent'>;
  readonly answer: Pick<Answer, 'model' | 'protocol' | 'plain'>;
  readonly settings: ChatSettings;
}

/** Maximum size that the proxy accepts. */
const MAX_SENT_BYTES = 64 * 1024 * 1024;

/**
 * Builds the request for an answer, with all earlier messages.
 * @throws NotFoundError when an image is missing, UserError when it is too large
 */
export async function prepareRequest(
  { message, answer, settings }: PrepareOptions,
  { pathTo, images }: Pick<Conversations, 'pathTo' | 'images'>,
): Promise<TextRequest> {
  const path = message.parent === null ? [] : await pathTo(message.parent);
  const found = new Map<string, DiskFile>();
  let size = settings.system.length;
  for (const { text, files } of path) {
    size += text.length;
    for (const file of files) {
      if (file.kind === 'text') size += file.text.length;
      else size += await readSize(file);
    }
  }
  // Checked before any image is read: all of them together may exceed the memory.
  if (size > MAX_SENT_BYTES) throw tooLargeError();
  const data = new Map<string, string>();
  for (const [hash, file] of found) data.set(hash, await readFile(file.path, 'base64'));
  const { model, protocol, plain } = answer;
  const base64Of = ({ hash }: Image) => data.get(hash) ?? '';
  return buildRequest({ protocol, model, settings, path, plain, base64Of });

  /** Returns the size in base64. */
  async function readSize({ hash, name }: Image): Promise<number> {
    const file = found.get(hash) ?? (await images.find(hash));
    if (file === null) throw new NotFoundError(`The image ${name} no longer exists.`);
    found.set(hash, file);
    return Math.ceil(file.bytes / 3) * 4;
  }
}

function tooLargeError(): UserError {
  return new UserError(
    'With its images this conversation has more than 64 MiB, the most that is sent at once. Begin a new one, or edit the message with the largest image.',
  );
}
