import { UserError } from '../../errors.ts';
import { parseBaseUrl, InvalidBaseUrlError } from '../../upstreams/upstreams.ts';
import { procedures } from './base.ts';

export const upstreamProcedures = {
  list: procedures.upstreams.list.handler(async ({ context }) => [
    ...(await context.gateway.listUpstreams()),
  ]),
  read: procedures.upstreams.read.handler(({ input: { text } }) => {
    try {
      const { url, corrections } = parseBaseUrl(text);
      return { url, corrections: [...corrections] };
    } catch (error) {
      if (error instanceof InvalidBaseUrlError) throw new UserError(error.message, 'text');
      throw error;
    }
  }),
  test: procedures.upstreams.test.handler(
    ({ context: { gateway }, input: { form, key, isNew }, signal }) => {
      const aborted = signal ?? new AbortController().signal;
      return isNew
        ? gateway.testNewUpstream(form, key, aborted)
        : gateway.testUpstream(form, key, aborted);
    },
  ),
  add: procedures.upstreams.add.handler(async ({ context: { gateway }, input, signal }) => {
    const { key, place, use, untested, ...form } = input;
    const aborted = signal ?? new AbortController().signal;
    const test =
      key === null || untested ? null : await gateway.testNewUpstream(form, key, aborted);
    if (test?.works === false) return { upstream: null, test };
    aborted.throwIfAborted();
    return {
      upstream: await gateway.addUpstream(form, { key, place, use, signal: aborted }),
      test,
    };
  }),
  keyPlaces: procedures.upstreams.keyPlaces.handler(async ({ context }) => [
    ...(await context.gateway.keyPlaces()),
  ]),
  change: procedures.upstreams.change.handler(({ context, input: { id, form } }) =>
    context.gateway.changeUpstream(id, form),
  ),
  use: procedures.upstreams.use.handler(({ context, input }) =>
    context.gateway.useUpstream(input.id),
  ),
  remove: procedures.upstreams.remove.handler(({ context, input }) =>
    context.gateway.removeUpstream(input.id),
  ),
  saveKey: procedures.upstreams.saveKey.handler(({ context, input: { id, key, place } }) =>
    context.gateway.saveKey(id, key, place),
  ),
  forgetKey: procedures.upstreams.forgetKey.handler(({ context, input }) =>
    context.gateway.forgetKey(input.id),
  ),
  readKey: procedures.upstreams.readKey.handler(({ context, input }) =>
    context.gateway.readKey(input.id),
  ),
};
