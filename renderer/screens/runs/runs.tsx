import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconArrowLeft } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { RunId } from '../../../shared/exchange/exchange.ts';
import { HistoryViews } from '../../components/history-views.tsx';
import { Page } from '../../components/page.tsx';
import { RunColumn } from './run-column.tsx';
import { RunFilters } from './run-filters.tsx';
import { RunView } from './run-view.tsx';
import classes from './runs.module.css';
import { useFoundRuns } from './use-runs.ts';

/** The runs of agents: a list, and the steps of one of them. On a narrow page one of the two is shown. */
export function Runs() {
  const { find = '', single = false, bodies = false, run } = useSearch({ from: '/history/runs' });
  const navigate = useNavigate({ from: '/history/runs' });
  const isWide = useMediaQuery('(min-width: 62em)', true, { getInitialValueInEffect: false });
  const words = find.trim();
  const { query, bodySearch } = useFoundRuns({ words, single, bodies });
  const shown = run ?? (isWide ? query.runs[0]?.id : undefined);
  const hasList = isWide || shown === undefined;
  const change: React.ComponentProps<typeof RunFilters>['onChange'] = (part) => {
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  };
  const open = (id: RunId): void => {
    void navigate({ search: (before) => ({ ...before, run: id }), replace: run !== undefined });
  };
  return (
    <Page
      title="History"
      about="Runs: the requests of one task of an agent, with its tool calls and their results."
      actions={<HistoryViews value="/history/runs" />}
      fills
    >
      {hasList && (
        <RunFilters
          find={find}
          single={single}
          bodies={bodies}
          bodySearch={bodySearch}
          onChange={change}
        />
      )}
      <div className={classes['body']}>
        {hasList && (
          <RunColumn
            query={query}
            shown={shown ?? null}
            words={words}
            bodySearch={bodySearch}
            onOpen={open}
            onReset={() => void navigate({ search: {} })}
            onSearchBodies={() => change({ bodies: true })}
            onAddSingle={single ? undefined : () => change({ single: true })}
          />
        )}
        {shown !== undefined && (
          <div className={classes['detail']} key={shown}>
            {!isWide && <Back />}
            <RunView id={shown} />
          </div>
        )}
      </div>
    </Page>
  );
}

/** Leads from a run back to the list. */
function Back() {
  const navigate = useNavigate({ from: '/history/runs' });
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      leftSection={<IconArrowLeft size={15} aria-hidden />}
      onClick={() => void navigate({ search: (before) => ({ ...before, run: undefined }) })}
    >
      All runs
    </Button>
  );
}
