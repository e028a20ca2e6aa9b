import { Alert, Button, Select, Skeleton, Stack, Text } from '@mantine/core';
import { IconBox, IconPlugConnectedX, IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { ModelList } from '../../../shared/model.ts';
import { useCalls } from '../../api/client.ts';
import { useFirstFetch, useModelRefresh } from '../../api/use-model-list.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { ErrorState } from '../../components/states/error-state.tsx';
import { pluralize, formatCount } from '../../../shared/format.ts';
import { FilterInput } from '../../components/inputs/filter-input.tsx';
import { ScopeNote } from '../../components/scope-note.tsx';
import { Page } from '../../components/page.tsx';
import { useFavouriteModels } from '../../hooks/use-favourite-models.ts';
import { toastError } from '../../hooks/toast.ts';
import { AliasesButton } from './aliases/aliases-button.tsx';
import { Catalog } from './catalog.tsx';
import { type CatalogSort, toCatalogRows, filterModels } from './catalog-rows.ts';
import { ModelResolutionHint } from './model-resolution.tsx';
import { ModelDetail } from './model-detail.tsx';
import classes from './models.module.css';

/** The models screen: searches, shows and tests models, and copies their ids. */
export function Models() {
  const calls = useCalls();
  const { data, error, refetch } = useQuery(calls.models.list.queryOptions());
  const refresh = useModelRefresh(toastFailure);
  const unknown = useFirstFetch(data, refresh);
  const failed = data === undefined ? error : unknown ? refresh.error : null;
  const loading = (data === undefined || unknown) && failed === null;
  return (
    <Page
      title="Models"
      about={data === undefined || unknown ? 'The models of your service.' : <About list={data} />}
      actions={
        <>
          <AliasesButton />
          <Button
            variant="default"
            size="xs"
            leftSection={<IconRefresh size={15} />}
            loading={refresh.isPending}
            onClick={() => refresh.mutate(undefined)}
          >
            Refresh
          </Button>
        </>
      }
      fills
    >
      {failed !== null && (
        <ErrorState
          title="Could not load the models."
          error={failed}
          onRetry={() => (unknown ? refresh.mutate(undefined) : void refetch())}
        />
      )}
      {loading && <Loading />}
      {data !== undefined && !unknown && <ModelsView list={data} />}
    </Page>
  );
}

function toastFailure(error: Error): void {
  toastError('Could not refresh the models.', error);
}

function About({ list }: { readonly list: ModelList }) {
  const { data: status } = useQuery(useCalls().status.get.queryOptions());
  const name = status?.upstream.name;
  return (
    <>
      {pluralize(list.models.length, 'model')}
      {name !== undefined && ` of ${name}`}
      {list.fetchedAt !== null && (
        <>
          , fetched <RelativeTime at={list.fetchedAt} />
        </>
      )}
      . <ScopeNote />
    </>
  );
}

interface ModelsSearch {
  readonly find: string | undefined;
  readonly model: string | undefined;
  readonly sort: CatalogSort | undefined;
}

const SORTS: { value: CatalogSort; label: string }[] = [
  { value: 'name', label: 'By name' },
  { value: 'used', label: 'By last use' },
  { value: 'context', label: 'By context' },
];

function ModelsView({ list }: { readonly list: ModelList }) {
  const { find = '', model: chosen, sort = 'name' } = useSearch({ from: '/models' });
  const navigate = useNavigate({ from: '/models' });
  const shown = useMemo(() => filterModels(list.models, find), [list.models, find]);
  const { favourites } = useFavouriteModels();
  const lines = useMemo(
    () => toCatalogRows(shown, { sort, favourites }),
    [shown, sort, favourites],
  );
  const summary = list.models.find(({ model }) => model.id === chosen);
  const search = (next: Partial<ModelsSearch>) =>
    void navigate({ search: (now) => ({ ...now, ...next }), replace: !('model' in next) });
  return (
    <div className={classes['columns']}>
      <div className={classes['main']}>
        {list.problem !== null && <Unreachable list={list} problem={list.problem} />}
        {list.omitted !== null && (
          <Text size="sm" c="dimmed" mb="sm">
            {list.omitted}
          </Text>
        )}
        <div className={classes['tools']}>
          <FilterInput
            label="Find models"
            placeholder="Find, or paste a name to check it"
            value={find}
            onChange={(text) => search({ find: text === '' ? undefined : text })}
            onLeave={() => document.querySelector<HTMLElement>('[data-row="0"]')?.focus()}
          />
          <SortSelect sort={sort} onSort={(next) => search({ sort: next })} />
        </div>
        <FoundCount find={find} found={shown.length} of={list.models.length} />
        <ModelResolutionHint
          find={find}
          models={list.models}
          found={shown.length}
          onChoose={(model) => search({ model })}
        />
        {lines.length > 0 && (
          <Catalog lines={lines} chosen={chosen} onChoose={(model) => search({ model })} />
        )}
        {list.models.length > 0 && lines.length === 0 && (
          <Button variant="default" size="xs" onClick={() => search({ find: undefined })}>
            Show all models
          </Button>
        )}
        {list.models.length === 0 && <Nothing problem={list.problem} />}
      </div>
      {chosen !== undefined && (
        <ModelDetail
          key={chosen}
          id={chosen}
          summary={summary}
          onClose={() => search({ model: undefined })}
        />
      )}
    </div>
  );
}

interface FoundCountProps {
  readonly find: string;
  readonly found: number;
  readonly of: number;
}

function FoundCount({ find, found, of }: FoundCountProps) {
  return (
    <Text size="xs" c="dimmed" role="status" className={classes['count']}>
      {find.trim() === '' ? '' : `${formatCount(found)} of ${pluralize(of, 'model')}`}
    </Text>
  );
}

interface SortSelectProps {
  readonly sort: CatalogSort;
  /** Receives `undefined` for the usual order. */
  readonly onSort: (sort: CatalogSort | undefined) => void;
}

function SortSelect({ sort, onSort }: SortSelectProps) {
  return (
    <Select
      aria-label="Sort models"
      w={128}
      data={SORTS}
      value={sort}
      onChange={(next) => onSort(next === 'name' || next === null ? undefined : next)}
      allowDeselect={false}
    />
  );
}

function Unreachable({ list, problem }: { readonly list: ModelList; readonly problem: string }) {
  return (
    <Alert
      color="orange"
      icon={<IconPlugConnectedX />}
      title="Could not update the model list"
      mb="sm"
      role="alert"
    >
      <Text size="sm">{problem}</Text>
      {list.fetchedAt !== null && list.models.length > 0 && (
        <Text size="sm" mt={4}>
          This list was fetched <RelativeTime at={list.fetchedAt} /> and may be out of date.
        </Text>
      )}
    </Alert>
  );
}

function Nothing({ problem }: { readonly problem: string | null }) {
  return (
    <EmptyState icon={IconBox} title="No models">
      {problem === null
        ? 'The service lists no models for this service key. Ask its operator which models the key may use, then refresh.'
        : 'No model list from this service yet. Refresh when it can be reached; if its address or key is wrong, change them in Settings.'}
    </EmptyState>
  );
}

const ROWS = Array.from({ length: 12 }, (_, row) => row);

function Loading() {
  return (
    <Stack gap={8} role="group" aria-busy aria-label="Loading the models">
      <Skeleton h={34} />
      {ROWS.map((row) => (
        <Skeleton key={row} h={30} />
      ))}
    </Stack>
  );
}
