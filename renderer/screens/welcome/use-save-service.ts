import { ORPCError, safe } from '@orpc/client';
import { useMutation } from '@tanstack/react-query';
import { DEFAULT_VENDOR, type UpstreamForm, type UpstreamId } from '../../../shared/upstream.ts';
import { type Calls, useCalls } from '../../api/client.ts';
import type { KeyLocation } from '../../components/inputs/key-inputs.tsx';
import { toastSuccess } from '../../hooks/toast.ts';

interface ServiceToSave {
  readonly baseUrl: string;
  readonly key: string;
  readonly place: KeyLocation;
}

/**
 * Keeps a service with its key, and uses it. Gives why the key could not be kept there, or `null` when all is done.
 */
export function useSaveService(onDone: () => void) {
  const calls = useCalls();
  return useMutation({
    mutationFn: (service: ServiceToSave) => saveAndUse(calls, service),
    onSuccess: (reason) => {
      if (reason !== null) return;
      toastSuccess('The service is in use from now on.');
      onDone();
    },
  });
}

/** Returns an upstream form with defaults for everything that the first steps do not ask for. */
export function defaultForm(baseUrl: string): UpstreamForm {
  return { name: '', baseUrl, versionVendor: DEFAULT_VENDOR, caFile: null, proxyUrl: null };
}

async function saveAndUse(
  calls: Calls,
  { baseUrl, key, place }: ServiceToSave,
): Promise<string | null> {
  const id = await findOrAddUpstream(calls, baseUrl);
  const { error } = await safe(calls.upstreams.saveKey.call({ id, key, place }));
  if (error instanceof ORPCError && error.code === 'REFUSED') return error.message;
  if (error !== null) throw error;
  await calls.upstreams.use.call({ id });
  return null;
}

/** Returns the upstream with this address: an existing one, perhaps of an earlier attempt, or a new one. */
async function findOrAddUpstream(calls: Calls, baseUrl: string): Promise<UpstreamId> {
  const { url } = await calls.upstreams.read.call({ text: baseUrl });
  const known = (await calls.upstreams.list.call()).find((upstream) => upstream.baseUrl === url);
  return known?.id ?? (await calls.upstreams.add.call(defaultForm(baseUrl))).id;
}
