import { NotFound, Refused } from '../refused.ts';
import { api } from './base.ts';
import { guarded } from './failures.ts';

/** Every call about conversations has the chat opened when it is not yet. */
const chatApi = api.chat.use(async ({ context, next }) =>
  next({ context: { chat: await context.gateway.chat() } }),
);

export const chatCalls = {
  page: chatApi.page.handler(async ({ context: { chat }, input }) => {
    const page = await chat.conversations.page(input);
    const conversations = page.conversations.map((one) => ({
      ...one,
      running: chat.runs(one.id),
    }));
    return { ...page, conversations };
  }),
  add: chatApi.add.handler(({ context, input }) => context.chat.conversations.add(input)),
  open: chatApi.open.handler(({ context, input }) => context.chat.conversations.open(input.id)),
  messages: chatApi.messages.handler(({ context, input }) =>
    context.chat.conversations.messages(input.ids),
  ),
  change: chatApi.change.handler(({ context, input: { id, change } }) =>
    context.chat.change(id, change),
  ),
  remove: chatApi.remove.handler(async ({ context, input }) => {
    await context.chat.remove(input.id);
  }),
  erase: chatApi.erase.handler(({ context }) => context.chat.erase()),
  send: chatApi.send.handler(({ context, input }) => context.chat.send(input)),
  retry: chatApi.retry.handler(({ context, input }) => context.chat.retry(input)),
  stop: chatApi.stop.handler(async ({ context, input }) => {
    await context.chat.stop(input.message);
  }),
  goTo: chatApi.goTo.handler(({ context, input: { id, lane, message } }) =>
    context.chat.conversations.goTo(id, lane, message),
  ),
  follow: chatApi.follow.handler(({ context: { chat, host }, input, signal }) =>
    guarded(chat.follow(input.id, signal), { log: host.log, call: 'chat.follow' }),
  ),
  protocolOf: chatApi.protocolOf.handler(async ({ context, input }) => ({
    protocol: await context.chat.protocolOf(input.model),
  })),
  export: chatApi.export.handler(async function* ({ context: { chat, host }, input }) {
    const pieces = chat.conversations.export(input.id, input.format);
    const note = { log: host.log, call: 'chat.export' };
    for await (const text of guarded(pieces, note)) yield { text };
  }),
  snippet: chatApi.snippet.handler(async ({ context, input }) => ({
    text: await context.chat.snippet(input),
  })),
  image: {
    begin: chatApi.image.begin.handler(async ({ context, input }) => ({
      upload: await context.chat.conversations.images.begin(input),
    })),
    append: chatApi.image.append.handler(async ({ context, input: { upload, base64 } }) => {
      const piece = Buffer.from(base64, 'base64');
      await context.chat.conversations.images.append(upload, piece);
    }),
    finish: chatApi.image.finish.handler(({ context, input }) =>
      context.chat.conversations.images.finish(input.upload),
    ),
    url: chatApi.image.url.handler(async ({ context, input }) => {
      const file = await context.chat.conversations.images.find(input.hash);
      if (file === null) throw new NotFound('This image is not there any more.');
      if (context.media === undefined) throw new Refused('Files cannot be shown here.');
      return { url: await context.media(file) };
    }),
  },
};
