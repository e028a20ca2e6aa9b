import { useMutation } from '@tanstack/react-query';
import type { Upstream, UpstreamId } from '../../../../shared/upstream.ts';
import { useCalls } from '../../../api/client.ts';
import { toUpstreamForm, type UpstreamFormValues } from './upstream-form.ts';

/**
 * Saves a service: the form, then its key, then whether it is used. What was done stays done when a later step is refused;
 * `onKept` hears of it, so that the next try changes the same service.
 */
export function useSaveUpstream(id: UpstreamId | null, onKept: (id: UpstreamId) => void) {
  const { upstreams } = useCalls();
  return useMutation<Upstream, Error, UpstreamFormValues>({
    mutationFn: async (draft) => {
      const form = toUpstreamForm(draft);
      const kept = await (id === null
        ? upstreams.add.call(form)
        : upstreams.change.call({ id, form }));
      onKept(kept.id);
      const { key, place, use } = draft;
      if (key !== '') await upstreams.saveKey.call({ id: kept.id, key, place });
      if (use) await upstreams.use.call({ id: kept.id });
      return kept;
    },
  });
}
