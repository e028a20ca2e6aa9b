import { type Mistake, TEXT_BODY } from './mistake.ts';

const CHAT = 'POST /v1/chat/completions';

/** Wrong but unambiguous names of models, with the right ids. */
const NAMES: readonly (readonly [asked: string, id: string])[] = [
  ['aurora-large', 'aurora/aurora-large'],
  ['AURORA/Aurora-Large', 'aurora/aurora-large'],
  ['Aurora Large', 'aurora/aurora-large'],
  ['aurora large', 'aurora/aurora-large'],
  ['dune-7b', 'dune/open/dune-7b'],
  ['fjord-vision-2', 'fjord/Fjord-Vision-2'],
];

const TEXT_ROUTES = [CHAT, 'POST /v1/responses', 'POST /v1/messages'];

function chatBody(model: string): string {
  return TEXT_BODY.replace('aurora/aurora-large', model);
}

const VIDEO = {
  numeric:
    '{"model":"h3","task":"ref2va","prompt":"a 4","seconds" : 4,"resolution":"480p","conditions":[{"type":"image","url":"{file}"}]}',
  text: '{"model":"h3","task":"ref2va","prompt":"a 4","seconds" : "4","resolution":"480p","conditions":[{"type":"image","url":"{file}"}]}',
};

/** Wrong model names, and fields of legacy or stricter formats. */
export const BODIES: readonly Mistake[] = [
  ...NAMES.map(([model, id]): Mistake => ({
    name: `the model "${model}"`,
    requestLine: CHAT,
    body: chatBody(model),
    repairs: ['model-id'],
    arrives: { body: chatBody(id) },
  })),
  ...TEXT_ROUTES.map((ask): Mistake => ({
    name: `a model without its provider at ${ask}`,
    requestLine: ask,
    body: chatBody('borealis-chat'),
    repairs: ['model-id'],
    arrives: { body: chatBody('borealis/borealis-chat') },
  })),
  ...TEXT_ROUTES.map((ask): Mistake => ({
    name: `an ambiguous model at ${ask} is not changed and gets a suggestion`,
    requestLine: ask,
    body: chatBody('borealis'),
    status: 404,
    repairs: ['model-suggestion'],
  })),
  {
    name: 'an unknown model is not changed and gets no suggestion',
    requestLine: CHAT,
    body: chatBody('qqqq'),
    status: 404,
    repairs: [],
  },
  {
    name: 'a legacy prompt',
    requestLine: CHAT,
    body: '{"model":"ember-mini", "prompt" : "Say \\u00e9\\"hi\\"","max_tokens":5}',
    repairs: ['prompt-to-messages'],
    arrives: {
      body: '{"model":"ember-mini", "messages":[{"role":"user","content":"Say \\u00e9\\"hi\\""}],"max_tokens":5}',
    },
  },
  {
    name: 'a prompt next to messages is not changed',
    requestLine: CHAT,
    body: '{"model":"ember-mini","prompt":"old","messages":[{"role":"user","content":"new"}]}',
    repairs: [],
  },
  {
    name: 'the seconds of a video as a number',
    requestLine: 'POST /v1/videos',
    body: VIDEO.numeric,
    repairs: ['seconds-to-string'],
    arrives: { body: VIDEO.text },
  },
  {
    name: 'the seconds of a video as a string are not changed',
    requestLine: 'POST /v1/videos',
    body: VIDEO.text,
    repairs: [],
  },
  {
    name: 'several mistakes at once',
    requestLine: 'POST /chat/completions/',
    credential: ['authorization: bearer {key}'],
    lines: [],
    body: '{"model":"ember mini","prompt":"Hi"}',
    repairs: [
      'path-missing-v1',
      'credential-format',
      'content-type-json',
      'model-id',
      'prompt-to-messages',
    ],
    arrives: {
      target: '/v1/chat/completions',
      headers: { 'content-type': ['application/json'] },
      body: '{"model":"ember-mini","messages":[{"role":"user","content":"Hi"}]}',
    },
  },
  ...TEXT_ROUTES.map((ask): Mistake => ({
    name: `a byte order mark before the JSON at ${ask}`,
    requestLine: ask,
    body: `\ufeff${TEXT_BODY}`,
    repairs: ['byte-order-mark'],
    arrives: { body: TEXT_BODY },
  })),
  {
    name: 'a byte order mark before the JSON of a video',
    requestLine: 'POST /v1/videos',
    body: `\ufeff${VIDEO.text}`,
    repairs: ['byte-order-mark'],
    arrives: { body: VIDEO.text },
  },
  {
    name: 'invalid JSON is sent to the service',
    requestLine: CHAT,
    body: '{"model":"ember-mini",',
    status: 400,
    repairs: [],
  },
];
