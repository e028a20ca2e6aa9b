import { useQuery } from '@tanstack/react-query';
import type { VideoId } from '../../../shared/video.ts';
import { useCalls } from '../../api/client.ts';

type MediaInput =
  | { readonly kind: 'video'; readonly id: VideoId }
  | { readonly kind: 'image'; readonly hash: string };

interface Media {
  /** Where this window finds the file; `undefined` while it is not known. */
  readonly url: string | undefined;
  readonly error: unknown;
  /** Asks for the address anew: after a start of Gatehouse the old one leads nowhere. */
  readonly renew: () => void;
}

/** The address of a file for this window. */
export function useMedia(input: MediaInput): Media {
  const { data, error, refetch, isPlaceholderData } = useQuery(
    useCalls().videos.media.queryOptions({ input }),
  );
  // While it is asked for, the address of the file shown before stands for it.
  return {
    url: isPlaceholderData ? undefined : data?.url,
    error,
    renew: () => void refetch(),
  };
}
