import { type Answer, jsonAnswer } from './answer.ts';
import { invalid } from './errors.ts';
import type { Call } from '../call.ts';
import { listModels, showModel } from '../show-models.ts';
import { answerText } from '../text/answer-text.ts';
import { CHAT } from '../text/chat.ts';
import { answerCount, MESSAGES } from '../text/messages.ts';
import { RESPONSES } from '../text/responses.ts';
import { redirectToVideo, showVideo, submitVideo } from '../videos/videos.ts';

/** One endpoint of the service (spec section 4). */
export interface Route {
  readonly method: 'GET' | 'POST';
  /** Matches the path exactly: case-sensitive, without extra slashes. The first group is the parameter. */
  readonly path: RegExp;
  readonly takes: 'nothing' | 'json' | 'form';
  /** Messages routes also accept `x-api-key`, and have a different error shape. */
  readonly messages?: true;
  readonly billed?: true;
  readonly answer: (call: Call) => Answer;
}

export const ROUTES: readonly Route[] = [
  { method: 'GET', path: /^\/v1\/models$/, takes: 'nothing', answer: listModels },
  { method: 'GET', path: /^\/v1\/models\/(.+)$/, takes: 'nothing', answer: showModel },
  {
    method: 'POST',
    path: /^\/v1\/chat\/completions$/,
    takes: 'json',
    billed: true,
    answer: (call) => answerText(CHAT, call),
  },
  {
    method: 'POST',
    path: /^\/v1\/responses$/,
    takes: 'json',
    billed: true,
    answer: (call) => answerText(RESPONSES, call),
  },
  {
    method: 'POST',
    path: /^\/v1\/messages$/,
    takes: 'json',
    messages: true,
    billed: true,
    answer: (call) => answerText(MESSAGES, call),
  },
  {
    method: 'POST',
    path: /^\/v1\/messages\/count_tokens$/,
    takes: 'json',
    messages: true,
    answer: answerCount,
  },
  { method: 'POST', path: /^\/v1\/files$/, takes: 'form', answer: answerUpload },
  { method: 'POST', path: /^\/v1\/videos$/, takes: 'json', billed: true, answer: submitVideo },
  { method: 'GET', path: /^\/v1\/videos\/([^/]+)$/, takes: 'nothing', answer: showVideo },
  {
    method: 'GET',
    path: /^\/v1\/videos\/([^/]+)\/content$/,
    takes: 'nothing',
    answer: redirectToVideo,
  },
];

/** Answers POST /v1/files (spec section 4.5). */
function answerUpload({ upload, account, fields, scenario }: Call): Answer {
  if (!upload) throw invalid('The form has no part named "file".');
  const address = account.files.add(upload, scenario.fileOnce === true);
  return jsonAnswer({
    object: 'file',
    ...(scenario.addresses !== 'none' && { [fields.fileUrl]: address }),
    ...(scenario.addresses === 'twins' && { copy: `${address}?link=copy` }),
    ...(scenario.addresses === 'several' && { preview: `${address}?preview` }),
    bytes: upload.size,
    filename: upload.name,
    sha256: upload.sha256,
    created_at: Math.floor(Date.now() / 1000),
  });
}
