import type { DiskFile } from '../gateway/videos/videos.ts';
import type { Native } from './engine-run.ts';

const ADDRESS_BYTES = 32;

/** Gives files addresses under which the page finds them: nobody can guess one, and a file keeps its own until this run ends. */
export function openOffers(
  native: Pick<Native, 'offer'>,
  randomBytes: (size: number) => Uint8Array,
): (file: DiskFile) => Promise<string> {
  const known = new Map<string, Promise<string>>();
  const offer = async (file: DiskFile): Promise<string> => {
    const address = `/media/${Buffer.from(randomBytes(ADDRESS_BYTES)).toString('base64url')}`;
    await native.offer({ ...file, address });
    return address;
  };
  return async (file) => {
    const name = JSON.stringify([file.path, file.name, file.type]);
    const address = known.get(name) ?? offer(file);
    known.set(name, address);
    return await address;
  };
}
