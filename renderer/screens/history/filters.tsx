import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { NamesField } from '../../../shared/filter-language/terms.ts';
import type { ServiceName } from '../../../shared/history/history.ts';
import { matchesPattern, toPattern } from '../../../shared/name-pattern.ts';
import { RouteName } from '../../../shared/exchange/exchange.ts';
import { useCalls } from '../../api/client.ts';
import { routeLabel } from '../../format/route.ts';
import { useTypedText } from '../../hooks/use-typed-text.ts';
import { FilterBox } from './filter-box/filter-box.tsx';
import { SavedFilters } from './filter-box/saved-filters.tsx';
import { parseFilter } from '../../../shared/filter-language/parse.ts';
import { BodySearchNote } from '../../components/body-search-note.tsx';
import { type Choice, MultiFilter, SingleFilter } from './filter-buttons.tsx';
import {
  OUTCOMES,
  type Outcome,
  readOutcome,
  hasBodyTexts,
  readTimes,
  withBodySearch,
  withFlag,
  withNames,
  withOutcome,
  withTimes,
} from './filter-terms.ts';
import classes from './filters.module.css';
import { TimeFilter } from './time-filter.tsx';
import type { HistoryAddress } from './use-history-search.ts';

const ROUTES = RouteName.options.map((value) => ({ value, label: routeLabel(value) }));
const OUTCOME_LABELS: Readonly<Record<Outcome, string>> = {
  '2xx': '2xx: complete answer',
  '3xx': '3xx: redirected',
  '4xx': '4xx: refused',
  '5xx': '5xx: failed',
  failed: 'All failures',
  left: 'Left by the client',
};
const OUTCOME_CHOICES = OUTCOMES.map((value) => ({ value, label: OUTCOME_LABELS[value] }));

interface FiltersProps {
  readonly address: HistoryAddress;
  /** Absent when there is nothing to reset. */
  readonly onReset: (() => void) | null;
  /** Moves the focus from the search input to the results. */
  readonly onLeave: () => void;
}

/** The filter of the list: the box has all of it as text, and the menus change that text. */
export function Filters({ address, onReset, onLeave }: FiltersProps) {
  const { data: names } = useQuery(useCalls().history.names.queryOptions());
  const box = useTypedText({
    value: address.text,
    // The list stays as it is while the text means nothing.
    onChange: (text) => parseFilter(text).errors.length === 0 && address.write(text),
    onLeave,
  });
  const menus = { address, text: box.typed, onChange: box.set };
  return (
    <div role="search" aria-label="Filters" className={classes['filters']}>
      <div className={classes['boxRow']}>
        <FilterBox box={box} names={names} />
        <BodyToggle {...menus} />
      </div>
      {address.bodySearch !== null && <BodySearchNote search={address.bodySearch} />}
      <Group gap={6}>
        <NamesMenu {...menus} title="Client" field="client" choices={toChoices(names?.clients)} />
        <NamesMenu {...menus} title="Model" field="model" choices={toChoices(names?.models)} />
        <NamesMenu {...menus} title="Route" field="route" choices={ROUTES} />
        <SourceMenus {...menus} services={names?.services} tags={names?.tags} />
        <SingleFilter
          title="Outcome"
          choices={OUTCOME_CHOICES}
          value={readOutcome(address.filter)}
          onChange={(value) =>
            box.set(withOutcome(box.typed, OUTCOMES.find((one) => one === value) ?? null))
          }
        />
        <FlagMenus {...menus} />
        <TimeFilter
          times={readTimes(address.parsed.terms.map(({ term }) => term))}
          filter={address.filter}
          onChange={(times) => box.set(withTimes(box.typed, times))}
        />
        <SavedFilters text={box.typed} onPick={box.set} />
        {onReset !== null && (
          <Button size="xs" variant="subtle" color="gray" onClick={onReset}>
            Reset
          </Button>
        )}
      </Group>
    </div>
  );
}

/** A switch that moves the words between the search of the list and that of requests and responses. */
function BodyToggle({ text, onChange }: Pick<MenuProps, 'text' | 'onChange'>) {
  const isOn = hasBodyTexts(text);
  return (
    <Button
      size="xs"
      px={10}
      fw={500}
      variant={isOn ? 'light' : 'default'}
      aria-pressed={isOn}
      onClick={() => onChange(withBodySearch(text, !isOn))}
    >
      Search in requests and responses
    </Button>
  );
}

interface MenuProps {
  readonly address: HistoryAddress;
  /** The text of the box, which a menu changes. */
  readonly text: string;
  readonly onChange: (text: string) => void;
}

interface NamesMenuProps extends MenuProps {
  readonly title: string;
  readonly field: NamesField;
  readonly choices: readonly Choice[];
}

/** A menu of names. A choice is marked when a pattern of the filter matches it. */
function NamesMenu({ address, text, onChange, title, field, choices }: NamesMenuProps) {
  const patterns = readPatterns(address, field);
  return (
    <MultiFilter
      title={title}
      choices={choices}
      value={patterns.map((pattern) => findChoice(pattern, choices))}
      onChange={(chosen) => onChange(withNames(text, field, chosen))}
    />
  );
}

function readPatterns({ parsed }: HistoryAddress, field: NamesField): readonly string[] {
  const term = parsed.terms
    .map((placed) => placed.term)
    .find((one) => one.kind === 'names' && one.field === field && !one.negated);
  return term?.kind === 'names' ? term.patterns : [];
}

/** Returns the choice that a pattern without wildcards names, whatever the case of its letters; the pattern for any other. */
function findChoice(pattern: string, choices: readonly Choice[]): string {
  return (
    choices.find(({ value }) => value.toLowerCase() === pattern.toLowerCase())?.value ?? pattern
  );
}

/** Menus that are shown when they can matter: several services, tags, or a filter that has a program, a cause or a repair. */
function SourceMenus({
  services = [],
  tags = [],
  ...menus
}: MenuProps & {
  readonly services: readonly ServiceName[] | undefined;
  readonly tags: readonly string[] | undefined;
}) {
  const { address } = menus;
  const isUsed = (field: NamesField): boolean => readPatterns(address, field).length > 0;
  return (
    <>
      {(services.length > 1 || isUsed('service')) && (
        <NamesMenu
          {...menus}
          title="Service"
          field="service"
          choices={services.map(toServiceChoice)}
        />
      )}
      {(tags.length > 0 || isUsed('tag')) && (
        <NamesMenu {...menus} title="Tag" field="tag" choices={toChoices(tags)} />
      )}
      {isUsed('program') && (
        <NamesMenu
          {...menus}
          title="Program"
          field="program"
          choices={[{ value: '', label: 'unnamed' }]}
        />
      )}
      {isUsed('error') && <NamesMenu {...menus} title="Cause" field="error" choices={[]} />}
      {isUsed('repair') && <NamesMenu {...menus} title="Repair" field="repair" choices={[]} />}
    </>
  );
}

/** A service is named by its name, or by its id when another one has the same name. */
function toServiceChoice(
  { id, name }: ServiceName,
  _: number,
  all: readonly ServiceName[],
): Choice {
  const isOnly = all.filter((other) => matchesPattern(toPattern(name), other.name)).length === 1;
  return { value: toPattern(isOnly ? name : id), label: name };
}

/** Menus for properties that an exchange has or does not have. */
function FlagMenus({ address, text, onChange }: MenuProps) {
  const { known, repaired, streamed, pinned } = address.filter;
  return (
    <>
      <YesOrNo
        title="Local key"
        labels={['Valid', 'Missing or invalid']}
        value={known}
        onChange={(value) => onChange(withFlag(text, 'known', value))}
      />
      <YesOrNo
        title="Repairs"
        labels={['Repaired', 'Not repaired']}
        value={repaired}
        onChange={(value) => onChange(withFlag(text, 'repaired', value))}
      />
      <YesOrNo
        title="Streaming"
        labels={['Streamed', 'Not streamed']}
        value={streamed}
        onChange={(value) => onChange(withFlag(text, 'stream', value))}
      />
      <YesOrNo
        title="Pins"
        labels={['Pinned', 'Not pinned']}
        value={pinned}
        onChange={(value) => onChange(withFlag(text, 'pinned', value))}
      />
    </>
  );
}

function toChoices(names: readonly string[] = []): readonly Choice[] {
  return names.map((name) => ({ value: toPattern(name), label: name }));
}

interface YesOrNoProps {
  readonly title: string;
  /** Labels for yes and for no. */
  readonly labels: readonly [string, string];
  readonly value: boolean | undefined;
  readonly onChange: (value: boolean | null) => void;
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
      onChange={(picked) => onChange(picked === null ? null : picked === 'yes')}
    />
  );
}
