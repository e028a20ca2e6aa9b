import { useQuery } from '@tanstack/react-query';
import type { VideoId } from '../../../shared/video/video.ts';
import { useCalls } from '../../api/client.ts';

type MediaInput =
  | { readonly kind: 'video'; readonly id: VideoId }
  | { readonly kind: 'image'; readonly hash: string };

interface Media {
  /** URL of the file for this window; `undefined` until it is known. */
  readonly url: string | undefined;
  readonly error: unknown;
  /** Requests a new URL: a restart of Gatehouse invalidates the old one. */
  readonly renew: () => void;
}

/** Returns the URL of a file for this window. */
export function useMedia(input: MediaInput): Media {
  const { data, error, refetch, isPlaceholderData } = useQuery(
    useCalls().videos.media.queryOptions({ input }),
  );
  // The query keeps the previous file as placeholder data, so its URL must not be used for this file.
  return {
    url: isPlaceholderData ? undefined : data?.url,
    error,
    renew: () => void refetch(),
  };
}
