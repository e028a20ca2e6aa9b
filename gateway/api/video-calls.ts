import { SANDBOX_ID } from '../../shared/upstream.ts';
import type { VideoId } from '../../shared/video.ts';
import { NotFound, Refused } from '../refused.ts';
import type { DiskFile } from '../disk.ts';
import { api, type ApiContext } from './base.ts';

export const videoCalls = {
  page: api.videos.page.handler(({ context, input: { filter, limit, after } }) =>
    context.gateway.videos.page({ filter, limit, ...(after === undefined ? {} : { after }) }),
  ),
  get: api.videos.get.handler(({ context, input }) => context.gateway.videos.get(input.id)),
  add: api.videos.add.handler(async ({ context: { gateway }, input }) => {
    const { upstream } = await gateway.status();
    return await gateway.videos.add({ ...input, origin: 'window', service: nameOf(upstream) });
  }),
  change: api.videos.change.handler(({ context, input: { id, video } }) =>
    context.gateway.videos.change(id, video),
  ),
  act: api.videos.act.handler(({ context, input: { id, act } }) =>
    context.gateway.videos.act(id, act),
  ),
  move: api.videos.move.handler(async ({ context, input: { id, before } }) => {
    await context.gateway.videos.move(id, before);
  }),
  remove: api.videos.remove.handler(async ({ context, input: { id, deleteFile } }) => {
    await context.gateway.videos.remove(id, deleteFile);
  }),
  image: {
    begin: api.videos.image.begin.handler(async ({ context, input }) => ({
      upload: await context.gateway.videos.images.begin(input),
    })),
    append: api.videos.image.append.handler(async ({ context, input: { upload, base64 } }) => {
      await context.gateway.videos.images.append(upload, Buffer.from(base64, 'base64'));
    }),
    finish: api.videos.image.finish.handler(({ context, input }) =>
      context.gateway.videos.images.finish(input.upload),
    ),
  },
  media: api.videos.media.handler(async ({ context, input }) => {
    const file = await (input.kind === 'video'
      ? context.gateway.videos.file(input.id)
      : imageOf(context, input.hash));
    if (context.media === undefined) throw new Refused('Files cannot be shown here.');
    return { url: await context.media(file) };
  }),
  reveal: api.videos.reveal.handler(async ({ context: { gateway }, input }) => {
    await gateway.reveal(await pathOf(gateway, input.id));
  }),
  presets: {
    list: api.videos.presets.list.handler(({ context }) => context.gateway.videos.presets()),
    save: api.videos.presets.save.handler(async ({ context, input }) => {
      await context.gateway.videos.savePreset(input);
    }),
    remove: api.videos.presets.remove.handler(async ({ context, input }) => {
      await context.gateway.videos.removePreset(input.name);
    }),
  },
  fields: {
    get: api.videos.fields.get.handler(async ({ context: { gateway }, input }) =>
      gateway.videos.fields(await serviceOf(gateway, input.id)),
    ),
    set: api.videos.fields.set.handler(async ({ context: { gateway }, input: { id, map } }) =>
      gateway.videos.setFields(await serviceOf(gateway, id), map),
    ),
  },
};

type Gateway = ApiContext['gateway'];

/** How jobs name a service: the address of the sandbox is another one after each start. */
function nameOf({ kind, baseUrl }: { readonly kind: string; readonly baseUrl: string }): string {
  return kind === 'sandbox' ? SANDBOX_ID : baseUrl;
}

async function serviceOf(gateway: Gateway, id: string): Promise<string> {
  const found = (await gateway.listUpstreams()).find((one) => one.id === id);
  if (found === undefined) throw new NotFound('This service is not there any more.');
  return nameOf(found);
}

async function imageOf({ gateway }: ApiContext, hash: string): Promise<DiskFile> {
  const file = await gateway.videos.images.find(hash);
  if (file === null) throw new NotFound('This image is not there any more.');
  return file;
}

async function pathOf(gateway: Gateway, id: VideoId): Promise<string> {
  return (await gateway.videos.file(id)).path;
}
