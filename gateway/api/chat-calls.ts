import { NotFound, Refused } from '../refused.ts';
import { api } from './base.ts';
import { guarded } from './failures.ts';

export const chatCalls = {
  page: api.chat.page.handler(async ({ context: { gateway }, input }) => {
    const page = await gateway.chat.conversations.page(input);
    const conversations = page.conversations.map((one) => ({
      ...one,
      running: gateway.chat.runs(one.id),
    }));
    return { ...page, conversations };
  }),
  add: api.chat.add.handler(({ context, input }) => context.gateway.chat.conversations.add(input)),
  open: api.chat.open.handler(({ context, input }) =>
    context.gateway.chat.conversations.open(input.id),
  ),
  messages: api.chat.messages.handler(({ context, input }) =>
    context.gateway.chat.conversations.messages(input.ids),
  ),
  change: api.chat.change.handler(({ context, input: { id, change } }) =>
    context.gateway.chat.conversations.change(id, change),
  ),
  remove: api.chat.remove.handler(async ({ context, input }) => {
    await context.gateway.chat.remove(input.id);
  }),
  erase: api.chat.erase.handler(({ context }) => context.gateway.chat.erase()),
  send: api.chat.send.handler(({ context, input }) => context.gateway.chat.send(input)),
  retry: api.chat.retry.handler(({ context, input }) => context.gateway.chat.retry(input)),
  stop: api.chat.stop.handler(async ({ context, input }) => {
    await context.gateway.chat.stop(input.message);
  }),
  goTo: api.chat.goTo.handler(({ context, input: { id, lane, message } }) =>
    context.gateway.chat.conversations.goTo(id, lane, message),
  ),
  follow: api.chat.follow.handler(({ context: { gateway, host }, input, signal }) =>
    guarded(gateway.chat.follow(input.id, signal), { log: host.log, call: 'chat.follow' }),
  ),
  protocolOf: api.chat.protocolOf.handler(async ({ context, input }) => ({
    protocol: await context.gateway.chat.protocolOf(input.model),
  })),
  export: api.chat.export.handler(async function* ({ context: { gateway, host }, input }) {
    const pieces = gateway.chat.conversations.export(input.id, input.format);
    const note = { log: host.log, call: 'chat.export' };
    for await (const text of guarded(pieces, note)) yield { text };
  }),
  snippet: api.chat.snippet.handler(async ({ context, input }) => ({
    text: await context.gateway.chat.snippet(input),
  })),
  image: {
    begin: api.chat.image.begin.handler(async ({ context, input }) => ({
      upload: await context.gateway.chat.conversations.images.begin(input),
    })),
    append: api.chat.image.append.handler(async ({ context, input: { upload, base64 } }) => {
      const piece = Buffer.from(base64, 'base64');
      await context.gateway.chat.conversations.images.append(upload, piece);
    }),
    finish: api.chat.image.finish.handler(({ context, input }) =>
      context.gateway.chat.conversations.images.finish(input.upload),
    ),
    url: api.chat.image.url.handler(async ({ context, input }) => {
      const file = await context.gateway.chat.conversations.images.find(input.hash);
      if (file === null) throw new NotFound('This image is not there any more.');
      if (context.media === undefined) throw new Refused('Files cannot be shown here.');
      return { url: await context.media(file) };
    }),
  },
};
