import { ORPCError, safe } from '@orpc/client';
import { useMutation } from '@tanstack/react-query';
import { DEFAULT_VENDOR, type KeyPlace, type UpstreamForm } from '../../../shared/upstream.ts';
import { type Calls, useCalls } from '../../api/client.ts';
import { errorField } from '../../format/errors.ts';
import { toastSuccess } from '../../hooks/toast.ts';

interface ServiceToSave {
  readonly baseUrl: string;
  readonly key: string;
  readonly place: KeyPlace;
}

/**
 * Saves a service with its key, and uses it. Returns why the key could not be stored there, or `null` when all is done. A new
 * service is not added without its key.
 */
export function useSaveService(onDone: () => void) {
  const calls = useCalls();
  return useMutation({
    mutationFn: (service: ServiceToSave) => saveAndUse(calls, service),
    onSuccess: (reason) => {
      if (reason !== null) return;
      toastSuccess('The service is now in use.');
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
  const { error } = await safe(addOrReplaceKey(calls, { baseUrl, key, place }));
  const isAboutKey = errorField(error) === 'place' || errorField(error) === 'key';
  if (error instanceof ORPCError && error.code === 'REFUSED' && isAboutKey) return error.message;
  if (error !== null) throw error;
  return null;
}

/** Adds the service; for an address that exists already, replaces its key. */
async function addOrReplaceKey(
  calls: Calls,
  { baseUrl, key, place }: ServiceToSave,
): Promise<void> {
  const { url } = await calls.upstreams.read.call({ text: baseUrl });
  const known = (await calls.upstreams.list.call()).find((upstream) => upstream.baseUrl === url);
  if (known === undefined) {
    const added = { ...defaultForm(baseUrl), key, place, use: true, untested: true };
    await calls.upstreams.add.call(added);
    return;
  }
  await calls.upstreams.saveKey.call({ id: known.id, key, place });
  await calls.upstreams.use.call({ id: known.id });
}
