import type { Answer } from './answer.ts';
import type { Call } from '../call.ts';
import { answerChat } from '../text/chat.ts';
import { answerUpload } from '../upload-answer.ts';
import { answerCount, answerMessages } from '../text/messages.ts';
import { listModels, showModel } from '../models.ts';
import { answerResponses } from '../text/responses.ts';
import { redirectToVideo, showVideo, submitVideo } from '../videos/videos.ts';

/** One line of the service's table of endpoints (spec section 4). */
export interface Route {
  readonly method: 'GET' | 'POST';
  /** Matches the path exactly: no other letter case, no further slash. The first group is the parameter. */
  readonly path: RegExp;
  readonly takes: 'nothing' | 'json' | 'form';
  /** Messages routes take `x-api-key` too, and have an error shape of their own. */
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
    answer: answerChat,
  },
  {
    method: 'POST',
    path: /^\/v1\/responses$/,
    takes: 'json',
    billed: true,
    answer: answerResponses,
  },
  {
    method: 'POST',
    path: /^\/v1\/messages$/,
    takes: 'json',
    messages: true,
    billed: true,
    answer: answerMessages,
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
