import { Button, type ButtonProps, ComboboxPopover, type ElementProps } from '@mantine/core';
import { useClipped } from '../../hooks/use-clipped.ts';
import { IconChevronDown } from '@tabler/icons-react';

/** A value and its label on screen. */
export interface Choice {
  readonly value: string;
  readonly label: string;
}

interface FilterProps {
  /** The name of the filter: "Client". */
  readonly title: string;
  readonly choices: readonly Choice[];
}

interface MultiFilterProps extends FilterProps {
  readonly value: readonly string[];
  readonly onChange: (value: string[]) => void;
}

/** Number of choices from which a search input is shown. */
const SEARCHED_FROM = 8;

/** A button that selects any number of values. */
export function MultiFilter({ title, choices, value, onChange }: MultiFilterProps) {
  const known = new Set(choices.map((choice) => choice.value));
  // A value in the URL is shown even if it no longer exists.
  const strangers = [...new Set(value)]
    .filter((one) => !known.has(one))
    .map((one) => ({ value: one, label: one }));
  const data = [...choices, ...strangers];
  return (
    <ComboboxPopover
      multiple
      data={data}
      value={[...value]}
      onChange={onChange}
      searchable={data.length >= SEARCHED_FROM}
      nothingFoundMessage="No options"
      comboboxProps={{ width: 280, position: 'bottom-start', withinPortal: false }}
      maxDropdownHeight={320}
    >
      <FilterTarget title={title} chosen={data.filter((choice) => value.includes(choice.value))} />
    </ComboboxPopover>
  );
}

interface SingleFilterProps extends FilterProps {
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
}

/** A button that selects one value, or none. */
export function SingleFilter({ title, choices, value, onChange }: SingleFilterProps) {
  return (
    <ComboboxPopover
      data={[...choices]}
      value={value}
      onChange={onChange}
      comboboxProps={{ width: 200, position: 'bottom-start', withinPortal: false }}
      maxDropdownHeight={320}
    >
      <FilterTarget title={title} chosen={choices.filter((choice) => choice.value === value)} />
    </ComboboxPopover>
  );
}

function FilterTarget({
  title,
  chosen,
}: {
  readonly title: string;
  readonly chosen: readonly Choice[];
}) {
  return (
    <ComboboxPopover.Target>
      <FilterButton title={title} chosen={chosen.map(({ label }) => label)} />
    </ComboboxPopover.Target>
  );
}

interface FilterButtonProps extends ButtonProps, ElementProps<'button', keyof ButtonProps> {
  readonly title: string;
  /** The current selection as text; absent when the filter is not set. */
  readonly chosen: readonly string[];
}

/** The button of a closed filter: its name and its selection. */
export function FilterButton({ title, chosen, ...others }: FilterButtonProps) {
  const { clipped, measuring } = useClipped('.mantine-Button-label');
  const full = `${title}: ${chosen.join(', ')}`;
  const [only] = chosen;
  const label = chosen.length > 1 ? `${title}: ${chosen.length}` : `${title}: ${only ?? ''}`;
  return (
    <Button
      {...others}
      size="xs"
      px={6}
      fw={500}
      variant={chosen.length > 0 ? 'light' : 'default'}
      maw={260}
      aria-label={chosen.length > 0 ? full : title}
      title={chosen.length > 1 || clipped ? full : undefined}
      {...measuring}
      rightSection={<IconChevronDown size={13} aria-hidden />}
    >
      {chosen.length > 0 ? label : title}
    </Button>
  );
}
