import { Button, Checkbox, Group } from '@mantine/core';
import { BodySearchNote } from '../../components/body-search-note.tsx';
import { FilterInput } from '../../components/inputs/filter-input.tsx';
import type { BodySearch } from '../../hooks/use-body-search.ts';
import classes from './runs.module.css';
import { MAX_TEXT_LENGTH } from './search.ts';

interface RunFiltersProps {
  readonly find: string;
  readonly single: boolean;
  /** Whether the words are searched for in requests and responses. */
  readonly bodies: boolean;
  /** `null` while nothing is searched for there. */
  readonly bodySearch: BodySearch | null;
  readonly onChange: (change: {
    readonly find?: string | undefined;
    readonly single?: boolean | undefined;
    readonly bodies?: boolean | undefined;
  }) => void;
}

/** The filters of the list of runs. */
export function RunFilters({ find, single, bodies, bodySearch, onChange }: RunFiltersProps) {
  return (
    <Group gap="sm" role="search" aria-label="Filters" mb="xs">
      <div className={classes['search']}>
        <FilterInput
          small
          label="Search the runs"
          placeholder={bodies ? 'Words of prompts, answers, tools…' : 'Task, client, model…'}
          value={find}
          onChange={(text) => onChange({ find: text.slice(0, MAX_TEXT_LENGTH) || undefined })}
        />
      </div>
      <Button
        size="xs"
        px={10}
        fw={500}
        variant={bodies ? 'light' : 'default'}
        aria-pressed={bodies}
        onClick={() => onChange({ bodies: !bodies || undefined })}
      >
        Search in requests and responses
      </Button>
      <Checkbox
        size="xs"
        label="Also single requests without tools"
        checked={single}
        onChange={({ currentTarget: { checked } }) => onChange({ single: checked || undefined })}
      />
      {bodySearch !== null && <BodySearchNote search={bodySearch} />}
    </Group>
  );
}
