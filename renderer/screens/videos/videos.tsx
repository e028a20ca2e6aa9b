import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { ErrorState } from '../../components/states/error-state.tsx';
import { Page } from '../../components/page.tsx';
import { VideoPane } from './detail/video-pane.tsx';
import { Filters } from './filters.tsx';
import { NoMatch } from '../../components/states/no-match.tsx';
import { Loading, NothingYet } from './empty-states.tsx';
import { usePages } from './pages.ts';
import { useVideosSearch } from './use-videos-search.ts';
import { VideoList } from './video-list.tsx';
import classes from './videos.module.css';

/** The videos screen: every video from draft to file, with its progress and open questions. */
export function Videos() {
  const { search, filter, narrow, reset, open, close } = useVideosSearch();
  const seen = useRef<readonly [number, number]>([0, 0]);
  const pages = usePages(filter, seen);
  const { jobs, counts, error } = pages;
  const isNarrowed = Object.keys(filter).length > 0;
  return (
    <Page
      title="Videos"
      about="Every video is ordered only once, tracked until done, and saved on this computer."
      actions={
        <Button
          size="xs"
          leftSection={<IconPlus size={15} />}
          renderRoot={(props: object) => <Link to="/videos/new" {...props} />}
        >
          New video
        </Button>
      }
      fills
    >
      <Filters search={search} counts={counts} onChange={narrow} />
      <div className={classes['columns']}>
        <div className={classes['main']}>
          {counts === undefined && error === null && <Loading />}
          {counts !== undefined && jobs.length === 0 && error === null && (
            <>
              {isNarrowed ? (
                <NoMatch title="No video matches" items="videos" onReset={reset} />
              ) : (
                <NothingYet />
              )}
            </>
          )}
          {jobs.length > 0 && (
            <VideoList
              pages={pages}
              seen={seen}
              listKey={filter}
              opened={search.video}
              onOpen={open}
            />
          )}
          {error !== null && (
            <ErrorState
              title={
                jobs.length === 0 ? 'Could not load the videos.' : 'Could not load more videos.'
              }
              error={error}
              onRetry={pages.retry}
            />
          )}
        </div>
        {search.video !== undefined && (
          <VideoPane key={search.video} id={search.video} onClose={close} />
        )}
      </div>
    </Page>
  );
}
