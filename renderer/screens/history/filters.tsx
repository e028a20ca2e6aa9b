import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { RouteName } from '../../../shared/exchange.ts';
import { Outcome } from '../../../shared/history.ts';
import { useCalls } from '../../api/client.ts';
import { FilterInput } from '../../components/inputs/filter-input.tsx';
import { routeLabel } from '../../format/route.ts';
import { type Choice, MultiFilter, SingleFilter } from './filter-buttons.tsx';
import classes from './filters.module.css';
import { type HistorySearch, MAX_TEXT_LENGTH } from './search.ts';
import { TimeFilter } from './time-filter.tsx';

const ROUTES = RouteName.options.map((value) => ({ value, label: routeLabel(value) }));
const OUTCOMES: Readonly<Record<Outcome, string>> = {
  '2xx': '2xx: success',
  '3xx': '3xx: redirected',
  '4xx': '4xx: refused',
  '5xx': '5xx: failed',
  failed: 'All failures',
};
const OUTCOME_CHOICES = Outcome.options.map((value) => ({ value, label: OUTCOMES[value] }));

interface FiltersProps {
  readonly search: HistorySearch;
  readonly onChange: (change: Partial<HistorySearch>) => void;
  /** Absent when there is nothing to reset. */
  readonly onReset: (() => void) | null;
  /** Moves the focus from the search input to the results. */
  readonly onLeave: () => void;
}

/** The filters of the list. They are combined with "and". */
export function Filters({ search, onChange, onReset, onLeave }: FiltersProps) {
  const { data: names } = useQuery(useCalls().history.names.queryOptions());
  return (
    <Group gap={6} role="search" aria-label="Filters" mb="xs">
      <div className={classes['words']}>
        <FilterInput
          small
          label="Search the history"
          placeholder="Path, model, client, error…"
          value={search.text ?? ''}
          onChange={(text) => onChange({ text: text.slice(0, MAX_TEXT_LENGTH) || undefined })}
          onLeave={onLeave}
        />
      </div>
      <MultiFilter
        title="Client"
        choices={toChoices(names?.clients)}
        value={search.clients ?? []}
        onChange={(clients) => onChange({ clients: orUndefined(clients) })}
      />
      <MultiFilter
        title="Model"
        choices={toChoices(names?.models)}
        value={search.models ?? []}
        onChange={(models) => onChange({ models: orUndefined(models) })}
      />
      <MultiFilter
        title="Route"
        choices={ROUTES}
        value={search.routes ?? []}
        onChange={(routes) => onChange({ routes: orUndefined(RouteName.array().parse(routes)) })}
      />
      <SingleFilter
        title="Outcome"
        choices={OUTCOME_CHOICES}
        value={search.outcome ?? null}
        onChange={(value) => onChange({ outcome: Outcome.safeParse(value).data })}
      />
      <FlagFilters search={search} onChange={onChange} />
      <TimeFilter times={search} onChange={onChange} />
      {onReset !== null && (
        <Button size="xs" variant="subtle" color="gray" onClick={onReset}>
          Reset
        </Button>
      )}
    </Group>
  );
}

/** Filters by properties that an exchange has or does not have. */
function FlagFilters({ search, onChange }: Pick<FiltersProps, 'search' | 'onChange'>) {
  return (
    <>
      <YesOrNo
        title="Local key"
        labels={['Valid', 'Missing or not valid']}
        value={search.known}
        onChange={(known) => onChange({ known })}
      />
      <YesOrNo
        title="Repairs"
        labels={['Repaired', 'Not repaired']}
        value={search.repaired}
        onChange={(repaired) => onChange({ repaired })}
      />
      <YesOrNo
        title="Streaming"
        labels={['Streamed', 'Not streamed']}
        value={search.streamed}
        onChange={(streamed) => onChange({ streamed })}
      />
    </>
  );
}

function toChoices(names: readonly string[] = []): readonly Choice[] {
  return names.map((name) => ({ value: name, label: name }));
}

function orUndefined<T>(values: T[]): T[] | undefined {
  return values.length === 0 ? undefined : values;
}

interface YesOrNoProps {
  readonly title: string;
  /** Labels for yes and for no. */
  readonly labels: readonly [string, string];
  readonly value: boolean | undefined;
  readonly onChange: (value: boolean | undefined) => void;
}

function YesOrNo({ title, labels, value, onChange }: YesOrNoProps) {
  const [yes, no] = labels;
  const chosen = value === undefined ? null : value ? 'yes' : 'no';
  return (
    <SingleFilter
      title={title}
      choices={[
        { value: 'yes', label: yes },
        { value: 'no', label: no },
      ]}
      value={chosen}
      onChange={(picked) => onChange(picked === null ? undefined : picked === 'yes')}
    />
  );
}
