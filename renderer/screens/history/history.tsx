import { useCallback, useDeferredValue, useMemo, useRef, useState } from 'react';
import type { HistoryFilter, RunningExchange } from '../../../shared/history/history.ts';
import { rowCount } from './history-rows.ts';
import { useLiveEvents } from '../../api/use-live.ts';
import { ErrorState } from '../../components/states/error-state.tsx';
import { ExportMenu } from '../../components/export/export-menu.tsx';
import { HistoryViews } from '../../components/history-views.tsx';
import { Page } from '../../components/page.tsx';
import { ExchangePane } from './detail/exchange-pane.tsx';
import { Filters } from './filters.tsx';
import classes from './history.module.css';
import { ExchangeList } from './list.tsx';
import { MatchCount } from './match-count.tsx';
import { NewExchangesBanner } from './new-exchanges-banner.tsx';
import { NoMatch } from '../../components/states/no-match.tsx';
import { Loading, NothingYet } from './empty-states.tsx';
import { matchesFilter } from '../../../shared/filter-language/matches-filter.ts';
import { type Pages, usePages } from './pages.ts';
import { hasWords, withBodySearch, withChecks, withWords } from './filter-terms.ts';
import { isNarrowed } from './search.ts';
import { type HistoryAddress, useHistorySearch } from './use-history-search.ts';
import { useNewest } from './use-newest.ts';
import { useInFlightRows } from '../../hooks/use-in-flight-rows.ts';

/** The history screen: lists, filters, shows and exports exchanges, updated live. */
export function History() {
  const address = useHistorySearch();
  const { filter, text, opened, parsed } = address;
  const { error: searchError = null } = address.bodySearch ?? {};
  const hasError = parsed.errors.length > 0 || searchError !== null;
  const grid = useRef<HTMLDivElement>(null);
  return (
    <Page
      title="History"
      about={hasError ? undefined : <MatchCount filter={filter} />}
      actions={
        <>
          <HistoryViews value="/history" />
          <ExportMenu part={{ kind: 'filter', filter }} />
        </>
      }
      fills
    >
      <Filters
        address={address}
        onReset={text !== '' ? address.reset : null}
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
            onConversation={(id) => address.write(withWords(text, id))}
            onChecks={(path) => address.write(withChecks(text, path))}
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
  const { text, filter, opened, open, write, reset } = address;
  const [atTop, setAtTop] = useState(true);
  const pages = usePages(filter);
  const { waiting, take } = useNewest({ filter, pages, atTop });
  useLiveEvents(({ kind }) => {
    // After a reconnect a failed page is loaded again by itself.
    if (kind === 'hello' && pages.error !== null) pages.retry();
  });
  const { lines, isEmpty, now } = useLines({ filter, pages, atTop });
  if (pages.state === 'loading') return <Loading />;
  if (pages.state === 'failed') {
    return (
      <div className={classes['frame']}>
        <ErrorState title="Could not load the history." error={pages.error} onRetry={pages.retry} />
      </div>
    );
  }
  const goToTop = (): void => {
    void take().then(() => grid.current?.scrollTo({ top: 0 }));
  };
  return (
    <div className={classes['frame']}>
      <NewExchangesBanner waiting={waiting} onShow={goToTop} />
      {isEmpty &&
        (isNarrowed(filter) ? (
          <NoMatch
            title="No request matches"
            items="requests"
            onReset={reset}
            onSearchBodies={hasWords(text) ? () => write(withBodySearch(text, true)) : undefined}
          />
        ) : (
          <NothingYet />
        ))}
      {!isEmpty && (
        <ExchangeList
          grid={grid}
          pages={pages}
          rows={lines}
          now={now}
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

/** Returns the rows of the list as they are drawn, and the time of the running ones in Unix milliseconds. */
function useLines({
  filter,
  pages,
  atTop,
}: {
  readonly filter: HistoryFilter;
  readonly pages: Pages;
  readonly atTop: boolean;
}) {
  const matches = useCallback(
    (exchange: RunningExchange) => matchesFilter(exchange, filter),
    [filter],
  );
  const underway = useInFlightRows(matches, pages.top, atTop);
  const { top, above, rows } = pages;
  const newest = useMemo(() => {
    // Exchanges that were stored since the snapshot are already in the list below.
    const running = underway.exchanges.filter(({ id }) => !top.has(id));
    return { running, above, rows };
  }, [underway.exchanges, top, above, rows]);
  // Many new rows are drawn in parts, so that the page answers meanwhile.
  const lines = useDeferredValue(newest);
  return { lines, isEmpty: rowCount(newest) === 0, now: underway.now };
}
