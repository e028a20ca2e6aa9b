import { Checkbox, Group } from '@mantine/core';
import { FilterInput } from '../../components/inputs/filter-input.tsx';
import classes from './runs.module.css';
import { MAX_TEXT_LENGTH } from './search.ts';

interface RunFiltersProps {
  readonly find: string;
  readonly single: boolean;
  readonly onChange: (change: {
    readonly find?: string | undefined;
    readonly single?: boolean | undefined;
  }) => void;
}

/** The filters of the list of runs. */
export function RunFilters({ find, single, onChange }: RunFiltersProps) {
  return (
    <Group gap="sm" role="search" aria-label="Filters" mb="xs">
      <div className={classes['search']}>
        <FilterInput
          small
          label="Search the runs"
          placeholder="Task, client, model…"
          value={find}
          onChange={(text) => onChange({ find: text.slice(0, MAX_TEXT_LENGTH) || undefined })}
        />
      </div>
      <Checkbox
        size="xs"
        label="Also single requests without tools"
        checked={single}
        onChange={({ currentTarget: { checked } }) => onChange({ single: checked || undefined })}
      />
    </Group>
  );
}
