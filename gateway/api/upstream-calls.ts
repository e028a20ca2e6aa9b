import { Refused } from '../refused.ts';
import { readBaseUrl, UnusableBaseUrl } from '../upstreams/upstreams.ts';
import { api } from './base.ts';

export const upstreamCalls = {
  list: api.upstreams.list.handler(async ({ context }) => [
    ...(await context.gateway.listUpstreams()),
  ]),
  read: api.upstreams.read.handler(({ input: { text } }) => {
    try {
      const { url, corrections } = readBaseUrl(text);
      return { url, corrections: [...corrections] };
    } catch (error) {
      if (error instanceof UnusableBaseUrl) throw new Refused(error.message, 'text');
      throw error;
    }
  }),
  test: api.upstreams.test.handler(({ context, input: { form, key }, signal }) =>
    context.gateway.testUpstream(form, key, signal ?? new AbortController().signal),
  ),
  add: api.upstreams.add.handler(({ context, input }) => context.gateway.addUpstream(input)),
  change: api.upstreams.change.handler(({ context, input: { id, form } }) =>
    context.gateway.changeUpstream(id, form),
  ),
  use: api.upstreams.use.handler(({ context, input }) => context.gateway.useUpstream(input.id)),
  remove: api.upstreams.remove.handler(({ context, input }) =>
    context.gateway.removeUpstream(input.id),
  ),
  saveKey: api.upstreams.saveKey.handler(({ context, input: { id, key, place } }) =>
    context.gateway.saveKey(id, key, place),
  ),
  forgetKey: api.upstreams.forgetKey.handler(({ context, input }) =>
    context.gateway.forgetKey(input.id),
  ),
  readKey: api.upstreams.readKey.handler(({ context, input }) => context.gateway.readKey(input.id)),
};
