import type { ChatFile, TextProtocol } from '../../../shared/chat/chat.ts';

/** One part of a message with images, as in the public protocols; the spec shows only texts (section 2.4). */
export type Part = Readonly<Record<string, unknown>>;
export type Content = string | readonly Part[];

type Image = Extract<ChatFile, { readonly kind: 'image' }>;

export interface ContentOptions {
  readonly protocol: TextProtocol;
  readonly base64Of: (image: Image) => string;
}

/** Converts a person's message to content: parts only where there are images, otherwise a plain string. */
export function toContent(
  message: { readonly text: string; readonly files: readonly ChatFile[] },
  { protocol, base64Of }: ContentOptions,
): Content {
  const text = formatWithFiles(message.text, message.files);
  const images = message.files.filter((file) => file.kind === 'image');
  if (images.length === 0) return text;
  const parts = images.map((image) => toImagePart(image, { protocol, base64Of }));
  return text.trim() === '' ? parts : [...parts, toTextPart(text, protocol)];
}

/** Joins two contents of the Messages protocol. */
export function joinContents(one: Content, other: Content): Content {
  if (typeof one === 'string' && typeof other === 'string') return `${one}\n\n${other}`;
  return [one, other].flatMap((content) =>
    typeof content === 'string' ? [toTextPart(content, 'messages')] : content,
  );
}

function toTextPart(text: string, protocol: TextProtocol): Part {
  return { type: protocol === 'responses' ? 'input_text' : 'text', text };
}

function toImagePart(image: Image, { protocol, base64Of }: ContentOptions): Part {
  const data = base64Of(image);
  const url = `data:${image.type};base64,${data}`;
  switch (protocol) {
    case 'chat':
      return { type: 'image_url', image_url: { url } };
    case 'responses':
      return { type: 'input_image', image_url: url };
    case 'messages':
      return { type: 'image', source: { type: 'base64', media_type: image.type, data } };
  }
}

/** Places text files before the text, so that a question about them comes last. */
function formatWithFiles(text: string, files: readonly ChatFile[]): string {
  const blocks = files.flatMap((file) => (file.kind === 'text' ? [formatFile(file)] : []));
  return [...blocks, ...(text.trim() === '' && blocks.length > 0 ? [] : [text])].join('\n\n');
}

/** Formats a named block whose fence is longer than any inside. */
function formatFile({ name, text }: { readonly name: string; readonly text: string }): string {
  const longest = [...text.matchAll(/`{3,}/gu)].reduce(
    (max, [run]) => Math.max(max, run.length),
    2,
  );
  const fence = '`'.repeat(longest + 1);
  const [, ending = ''] = /\.([a-z0-9]{1,16})$/iu.exec(name) ?? [];
  const end = text.endsWith('\n') ? '' : '\n';
  return `${name.replaceAll(/[\p{Cc}`]/gu, '_')}:\n${fence}${ending}\n${text}${end}${fence}`;
}
