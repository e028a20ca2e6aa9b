import type { SnippetLanguage, TextProtocol } from '../../../shared/chat/chat.ts';
import { formatRequestCode } from '../../../shared/request-code/request-code.ts';
import { NotFoundError, UserError } from '../../errors.ts';
import type { LaneQuery, Conversations } from '../types.ts';
import { buildRequest } from '../turn/build-request.ts';
import { MESSAGES_VERSION } from '../turn/call-proxy.ts';

export interface SnippetDeps {
  readonly conversations: Conversations;
  readonly findProtocol: (model: string) => Promise<TextProtocol>;
  /** Port of the proxy. */
  readonly port: () => number;
  readonly vendor: () => string;
}

/** Creates the source code of a lane's latest request. @throws NotFoundError, UserError */
export async function createLaneSnippet(
  { id, lane, language }: LaneQuery & { readonly language: SnippetLanguage },
  { conversations, findProtocol, port, vendor }: SnippetDeps,
): Promise<string> {
  const { lanes, settings } = await conversations.get(id);
  const found = lanes[lane];
  if (found === undefined)
    throw new NotFoundError('This model is no longer part of the conversation.');
  const { at, model } = found;
  const shown = at === null ? [] : await conversations.pathTo(at);
  const last = shown.findLastIndex(({ answer }) => answer === null);
  if (last === -1) throw new UserError('There are no messages yet. Write something first.');
  const path = shown.slice(0, last + 1);
  const protocol = found.protocol ?? (await findProtocol(model));
  const { path: target, body } = buildRequest({
    protocol,
    model,
    settings,
    path,
    plain: false,
    base64Of: placeholder,
  });
  const request = {
    protocol,
    method: 'POST',
    origin: `http://127.0.0.1:${port()}`,
    path: target,
    headers: [
      ['content-type', 'application/json'] as const,
      ...(protocol === 'messages' ? [[`${vendor()}-version`, MESSAGES_VERSION] as const] : []),
    ],
    body: JSON.stringify(body, null, 2),
  };
  return formatRequestCode(request, language);
}

function placeholder({ name }: { readonly name: string }): string {
  return `BASE64_OF_${name}`;
}
