import { NotFoundError, UserError } from '../../errors.ts';
import { procedures } from './base.ts';
import { withRpcErrors } from './rpc-errors.ts';

/** Every call about conversations opens the chat first if necessary. */
const conversationProcedures = procedures.chat.use(async ({ context, next }) =>
  next({ context: { chat: await context.gateway.chat() } }),
);

export const chatProcedures = {
  page: conversationProcedures.page.handler(async ({ context: { chat }, input }) => {
    const page = await chat.conversations.page(input);
    const conversations = page.conversations.map((one) => ({
      ...one,
      running: chat.isRunning(one.id),
    }));
    return { ...page, conversations };
  }),
  add: conversationProcedures.add.handler(({ context, input }) =>
    context.chat.conversations.add(input),
  ),
  open: conversationProcedures.open.handler(({ context, input }) =>
    context.chat.conversations.open(input.id),
  ),
  messages: conversationProcedures.messages.handler(({ context, input }) =>
    context.chat.conversations.messages(input.ids),
  ),
  change: conversationProcedures.change.handler(({ context, input: { id, change } }) =>
    context.chat.change(id, change),
  ),
  remove: conversationProcedures.remove.handler(async ({ context, input }) => {
    await context.chat.remove(input.id);
  }),
  erase: conversationProcedures.erase.handler(({ context }) => context.chat.erase()),
  send: conversationProcedures.send.handler(({ context, input }) => context.chat.send(input)),
  retry: conversationProcedures.retry.handler(({ context, input }) => context.chat.retry(input)),
  stop: conversationProcedures.stop.handler(async ({ context, input }) => {
    await context.chat.stop(input.message);
  }),
  goTo: conversationProcedures.goTo.handler(({ context, input: { id, lane, message } }) =>
    context.chat.conversations.selectBranch(id, lane, message),
  ),
  follow: conversationProcedures.follow.handler(({ context: { chat, host }, input, signal }) =>
    withRpcErrors(chat.follow(input.id, signal), { log: host.log, call: 'chat.follow' }),
  ),
  findProtocol: conversationProcedures.findProtocol.handler(async ({ context, input }) => ({
    protocol: await context.chat.findProtocol(input.model),
  })),
  estimate: conversationProcedures.estimate.handler(async ({ context, input }) => ({
    amount: await context.chat.estimate(input),
  })),
  export: conversationProcedures.export.handler(async function* ({
    context: { chat, host },
    input,
  }) {
    const chunks = chat.conversations.export(input.id, input.format);
    const note = { log: host.log, call: 'chat.export' };
    for await (const text of withRpcErrors(chunks, note)) yield { text };
  }),
  snippet: conversationProcedures.snippet.handler(async ({ context, input }) => ({
    text: await context.chat.snippet(input),
  })),
  image: {
    begin: conversationProcedures.image.begin.handler(async ({ context, input }) => ({
      upload: await context.chat.conversations.images.begin(input),
    })),
    append: conversationProcedures.image.append.handler(
      async ({ context, input: { upload, base64 } }) => {
        const chunk = Buffer.from(base64, 'base64');
        await context.chat.conversations.images.append(upload, chunk);
      },
    ),
    finish: conversationProcedures.image.finish.handler(({ context, input }) =>
      context.chat.conversations.images.finish(input.upload),
    ),
    url: conversationProcedures.image.url.handler(async ({ context, input }) => {
      const file = await context.chat.conversations.images.find(input.hash);
      if (file === null) throw new NotFoundError('This image no longer exists.');
      if (context.media === undefined) throw new UserError('Files cannot be shown here.');
      return { url: await context.media(file) };
    }),
  },
};
