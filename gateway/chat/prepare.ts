import { readFile } from 'node:fs/promises';
import type { Answer, ChatFile, ChatMessage, ChatSettings } from '../../shared/chat.ts';
import { NotFound } from '../refused.ts';
import type { Conversations } from './conversations.ts';
import { requestFor, type TextRequest } from './request.ts';

type Image = Extract<ChatFile, { readonly kind: 'image' }>;

export interface PrepareAsked {
  readonly message: Pick<ChatMessage, 'parent'>;
  readonly answer: Pick<Answer, 'model' | 'protocol' | 'plain'>;
  readonly settings: ChatSettings;
}

/** The request for an answer, with everything that was said before it. @throws NotFound when an image is gone */
export async function prepare(
  { message, answer, settings }: PrepareAsked,
  { pathTo, images }: Pick<Conversations, 'pathTo' | 'images'>,
): Promise<TextRequest> {
  const path = message.parent === null ? [] : await pathTo(message.parent);
  const data = new Map<string, string>();
  for (const file of path.flatMap(({ files }) => files)) {
    if (file.kind === 'image') data.set(file.hash, await read(file, images));
  }
  const { model, protocol, plain } = answer;
  const base64Of = ({ hash }: Image) => data.get(hash) ?? '';
  return requestFor({ protocol, model, settings, path, plain, base64Of });
}

async function read({ hash, name }: Image, images: Conversations['images']): Promise<string> {
  const file = await images.find(hash);
  if (file === null) throw new NotFound(`The image ${name} is not there any more.`);
  return await readFile(file.path, 'base64');
}
