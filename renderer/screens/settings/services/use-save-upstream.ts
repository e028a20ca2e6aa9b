import { useMutation } from '@tanstack/react-query';
import type { Upstream, UpstreamId } from '../../../../shared/upstream.ts';
import { useCalls } from '../../../api/client.ts';
import { toUpstreamForm, type UpstreamFormValues } from './upstream-form.ts';

/**
 * Saves a service in steps: the form, its key, and whether it is used. Completed steps remain when a later one fails;
 * `onKept` is called, so that the next attempt changes the same service.
 */
export function useSaveUpstream(id: UpstreamId | null, onKept: (id: UpstreamId) => void) {
  const { upstreams } = useCalls();
  return useMutation<Upstream, Error, UpstreamFormValues>({
    mutationFn: async (draft) => {
      const form = toUpstreamForm(draft);
      const saved = await (id === null
        ? upstreams.add.call(form)
        : upstreams.change.call({ id, form }));
      onKept(saved.id);
      const { key, place, use } = draft;
      if (key !== '') await upstreams.saveKey.call({ id: saved.id, key, place });
      if (use) await upstreams.use.call({ id: saved.id });
      return saved;
    },
  });
}
