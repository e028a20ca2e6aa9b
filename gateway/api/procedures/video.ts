import { toServiceId } from '../../../shared/upstream.ts';
import type { VideoId } from '../../../shared/video/video.ts';
import { NotFoundError, UserError } from '../../errors.ts';
import type { DiskFile } from '../../lib/disk.ts';
import { procedures, type ApiContext } from './base.ts';

export const videoProcedures = {
  page: procedures.videos.page.handler(({ context, input: { filter, limit, after } }) =>
    context.gateway.videos.page({ filter, limit, ...(after === undefined ? {} : { after }) }),
  ),
  get: procedures.videos.get.handler(({ context, input }) => context.gateway.videos.get(input.id)),
  ofExchange: procedures.videos.ofExchange.handler(async ({ context: { gateway }, input }) => {
    const found = await gateway.history.get(input.id);
    return found === null ? null : await gateway.videos.findByExchange(found.exchange);
  }),
  add: procedures.videos.add.handler(async ({ context: { gateway }, input }) => {
    const { upstream } = await gateway.status();
    return await gateway.videos.add({
      ...input,
      origin: 'window',
      service: toServiceId(upstream),
    });
  }),
  change: procedures.videos.change.handler(({ context, input: { id, video } }) =>
    context.gateway.videos.change(id, video),
  ),
  act: procedures.videos.act.handler(({ context, input: { id, action } }) =>
    context.gateway.videos.act(id, action),
  ),
  move: procedures.videos.move.handler(async ({ context, input: { id, before } }) => {
    await context.gateway.videos.move(id, before);
  }),
  remove: procedures.videos.remove.handler(async ({ context, input: { id, deleteFile } }) => {
    await context.gateway.videos.remove(id, deleteFile);
  }),
  image: {
    begin: procedures.videos.image.begin.handler(async ({ context, input }) => ({
      upload: await context.gateway.videos.images.begin(input),
    })),
    append: procedures.videos.image.append.handler(
      async ({ context, input: { upload, base64 } }) => {
        await context.gateway.videos.images.append(upload, Buffer.from(base64, 'base64'));
      },
    ),
    finish: procedures.videos.image.finish.handler(({ context, input }) =>
      context.gateway.videos.images.finish(input.upload),
    ),
  },
  media: procedures.videos.media.handler(async ({ context, input }) => {
    const file = await (input.kind === 'video'
      ? context.gateway.videos.file(input.id)
      : findImage(context, input.hash));
    if (context.media === undefined) throw new UserError('Files cannot be shown here.');
    return { url: await context.media(file) };
  }),
  reveal: procedures.videos.reveal.handler(async ({ context: { gateway }, input }) => {
    await gateway.reveal(await findVideoPath(gateway, input.id));
  }),
  presets: {
    list: procedures.videos.presets.list.handler(({ context }) => context.gateway.videos.presets()),
    save: procedures.videos.presets.save.handler(async ({ context, input }) => {
      await context.gateway.videos.savePreset(input);
    }),
    remove: procedures.videos.presets.remove.handler(async ({ context, input }) => {
      await context.gateway.videos.removePreset(input.name);
    }),
  },
  fields: {
    get: procedures.videos.fields.get.handler(async ({ context: { gateway }, input }) =>
      gateway.videos.fields(await findService(gateway, input.id)),
    ),
    set: procedures.videos.fields.set.handler(
      async ({ context: { gateway }, input: { id, map } }) =>
        gateway.videos.setFields(await findService(gateway, id), map),
    ),
  },
};

type Gateway = ApiContext['gateway'];

async function findService(gateway: Gateway, id: string): Promise<string> {
  const found = (await gateway.listUpstreams()).find((one) => one.id === id);
  if (found === undefined) throw new NotFoundError('This service no longer exists.');
  return toServiceId(found);
}

async function findImage({ gateway }: ApiContext, hash: string): Promise<DiskFile> {
  const file = await gateway.videos.images.find(hash);
  if (file === null) throw new NotFoundError('This image no longer exists.');
  return file;
}

async function findVideoPath(gateway: Gateway, id: VideoId): Promise<string> {
  return (await gateway.videos.file(id)).path;
}
