import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { VideoFilter, VideoId } from '../../../shared/video/video.ts';
import { toFilter, type VideosSearch } from './search.ts';

interface VideosAddress {
  readonly search: VideosSearch;
  /** Filter from the URL; the object changes only when the URL selects other videos. */
  readonly filter: VideoFilter;
  readonly narrow: (change: Partial<VideosSearch>) => void;
  readonly reset: () => void;
  readonly open: (id: VideoId) => void;
  readonly close: () => void;
}

/** Keeps the filter and the open video in the URL: they survive a reload. */
export function useVideosSearch(): VideosAddress {
  const search = useSearch({ from: '/videos' });
  const navigate = useNavigate({ from: '/videos' });
  const { show, text, video } = search;
  const isOpen = video !== undefined;
  return {
    search,
    filter: useMemo(() => toFilter({ show, text }), [show, text]),
    narrow: useCallback(
      (change) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true }),
      [navigate],
    ),
    reset: () => void navigate({ search: isOpen ? { video } : {} }),
    // Moving from one video to the next adds no entry to the browser history.
    open: useCallback(
      (id) => void navigate({ search: (before) => ({ ...before, video: id }), replace: isOpen }),
      [navigate, isOpen],
    ),
    close: useCallback(
      () => void navigate({ search: (before) => ({ ...before, video: undefined }), replace: true }),
      [navigate],
    ),
  };
}
