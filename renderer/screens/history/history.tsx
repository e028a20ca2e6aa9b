import { useRef, useState } from 'react';
import { rowCount } from './history-rows.ts';
import { useLiveEvents } from '../../api/use-live.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { Page } from '../../components/page.tsx';
import { ExchangePane } from './detail/exchange-pane.tsx';
import { ExportMenu } from './export.tsx';
import { Filters } from './filters.tsx';
import classes from './history.module.css';
import { ExchangeList } from './list.tsx';
import { MatchCount } from './match-count.tsx';
import { NewExchangesBanner } from './new-exchanges-banner.tsx';
import { Loading, NoMatch, NothingYet } from './empty-states.tsx';
import { usePages } from './pages.ts';
import { isNarrowed } from './search.ts';
import { type HistoryAddress, useHistorySearch } from './use-history-search.ts';
import { useNewest } from './use-newest.ts';
import { useInFlightRows } from '../../hooks/use-in-flight-rows.ts';

/** The history screen: lists, filters, shows and exports exchanges, updated live. */
export function History() {
  const address = useHistorySearch();
  const { filter, search, opened } = address;
  const grid = useRef<HTMLDivElement>(null);
  return (
    <Page
      title="History"
      about={<MatchCount filter={filter} />}
      actions={<ExportMenu filter={filter} />}
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
  readonly address: HistoryAddress;
  readonly grid: React.RefObject<HTMLDivElement | null>;
}

function Rows({ address, grid }: RowsProps) {
  const { filter, opened, open, reset } = address;
  const [atTop, setAtTop] = useState(true);
  const pages = usePages(filter);
  const { waiting, take } = useNewest({ filter, pages, atTop });
  useLiveEvents(({ kind }) => {
    // After a reconnect a failed page is loaded again by itself.
    if (kind === 'hello' && pages.error !== null) pages.retry();
  });
  const underway = useInFlightRows(filter, pages.top, atTop);
  // Exchanges that were stored since the snapshot are already in the list below.
  const running = underway.exchanges.filter(({ id }) => !pages.top.has(id));
  const lines = { running, above: pages.above, rows: pages.rows };
  if (pages.state === 'loading') return <Loading />;
  if (pages.state === 'failed') {
    return (
      <div className={classes['frame']}>
        <ErrorState title="Could not load the history." error={pages.error} onRetry={pages.retry} />
      </div>
    );
  }
  const isEmpty = rowCount(lines) === 0;
  const goToTop = (): void => {
    void take().then(() => grid.current?.scrollTo({ top: 0 }));
  };
  return (
    <div className={classes['frame']}>
      <NewExchangesBanner waiting={waiting} onShow={goToTop} />
      {isEmpty && (isNarrowed(filter) ? <NoMatch onReset={reset} /> : <NothingYet />)}
      {!isEmpty && (
        <ExchangeList
          grid={grid}
          pages={pages}
          rows={lines}
          now={underway.now}
          atTop={atTop}
          onAtTop={setAtTop}
          listKey={filter}
          opened={opened}
          onOpen={open}
        />
      )}
      {pages.error !== null && (
        <ErrorState
          title="Could not load older exchanges."
          error={pages.error}
          onRetry={pages.retry}
        />
      )}
    </div>
  );
}
