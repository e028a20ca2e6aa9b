import { useRef, useState } from 'react';
import { lineCount } from './lines.ts';
import { useLiveEvents } from '../../client/use-live.ts';
import { Failure } from '../../parts/failure.tsx';
import { Page } from '../../parts/page.tsx';
import { ExchangePane } from './detail/exchange-pane.tsx';
import { Export } from './export.tsx';
import { Filters } from './filters.tsx';
import classes from './history.module.css';
import { ExchangeList } from './list.tsx';
import { Matches } from './matches.tsx';
import { News } from './news.tsx';
import { Loading, NoMatch, NothingYet } from './no-rows.tsx';
import { usePages } from './pages.ts';
import { isNarrowed } from './search.ts';
import { type InAddress, useHistorySearch } from './use-history-search.ts';
import { useNewest } from './use-newest.ts';
import { useUnderway } from '../../parts/use-underway.ts';

/** Every exchange, live: found, looked into, and taken elsewhere as a file. */
export function History() {
  const address = useHistorySearch();
  const { filter, search, opened } = address;
  const grid = useRef<HTMLDivElement>(null);
  return (
    <Page
      title="History"
      about={<Matches filter={filter} />}
      actions={<Export filter={filter} />}
      fills
    >
      <Filters
        search={search}
        onChange={address.narrow}
        onReset={isNarrowed(filter) ? address.reset : null}
        onLeave={() => grid.current?.focus()}
      />
      <div className={classes['body']}>
        <Rows address={address} grid={grid} />
        {opened !== null && (
          <ExchangePane
            id={opened}
            onClose={() => {
              address.close();
              grid.current?.focus();
            }}
            onConversation={(text) => address.narrow({ text })}
          />
        )}
      </div>
    </Page>
  );
}

interface RowsProps {
  readonly address: InAddress;
  readonly grid: React.RefObject<HTMLDivElement | null>;
}

function Rows({ address, grid }: RowsProps) {
  const { filter, opened, open, reset } = address;
  const [atTop, setAtTop] = useState(true);
  const pages = usePages(filter);
  const { waiting, take } = useNewest({ filter, pages, atTop });
  useLiveEvents(({ kind }) => {
    // Whoever was reading when Gatehouse went need not ask again.
    if (kind === 'hello' && pages.error !== null) pages.retry();
  });
  const underway = useUnderway(filter, pages.top, atTop);
  // What was written since they were looked at stands below already.
  const running = underway.exchanges.filter(({ id }) => !pages.top.has(id));
  const lines = { running, above: pages.above, rows: pages.rows };
  if (pages.state === 'loading') return <Loading />;
  if (pages.state === 'failed') {
    return (
      <div className={classes['frame']}>
        <Failure title="The history could not be read." error={pages.error} onRetry={pages.retry} />
      </div>
    );
  }
  const isEmpty = lineCount(lines) === 0;
  const goToTop = (): void => {
    void take().then(() => grid.current?.scrollTo({ top: 0 }));
  };
  return (
    <div className={classes['frame']}>
      <News waiting={waiting} onShow={goToTop} />
      {isEmpty && (isNarrowed(filter) ? <NoMatch onReset={reset} /> : <NothingYet />)}
      {!isEmpty && (
        <ExchangeList
          grid={grid}
          pages={pages}
          lines={lines}
          now={underway.now}
          atTop={atTop}
          onAtTop={setAtTop}
          listKey={filter}
          opened={opened}
          onOpen={open}
        />
      )}
      {pages.error !== null && (
        <Failure
          title="Older exchanges could not be read."
          error={pages.error}
          onRetry={pages.retry}
        />
      )}
    </div>
  );
}
