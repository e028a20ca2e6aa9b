import { Chip, Group } from '@mantine/core';
import type { VideoPage } from '../../../shared/video/video.ts';
import { FilterInput } from '../../components/inputs/filter-input.tsx';
import { formatCount } from '../../../shared/format.ts';
import classes from './filters.module.css';
import {
  countGroup,
  groupLabel,
  MAX_TEXT_LENGTH,
  VIDEO_GROUPS,
  type VideosSearch,
} from './search.ts';

const ALL = 'all';

interface FiltersProps {
  readonly search: VideosSearch;
  readonly counts: VideoPage['counts'] | undefined;
  readonly onChange: (change: Partial<VideosSearch>) => void;
}

/** The filters of the list: a group of states, and words of the prompt. */
export function Filters({ search, counts, onChange }: FiltersProps) {
  const { show, text = '' } = search;
  // An empty group is hidden, unless it is the selected one.
  const groups = VIDEO_GROUPS.filter((group) => group === show || countGroup(group, counts) > 0);
  return (
    <Group gap={6} role="search" aria-label="Filters" mb="sm">
      <div className={classes['search']}>
        <FilterInput
          small
          label="Search the prompts"
          placeholder="Search the prompts"
          value={text}
          onChange={(next) => onChange({ text: next.slice(0, MAX_TEXT_LENGTH) || undefined })}
          onLeave={() => document.querySelector<HTMLElement>('[data-row="0"]')?.focus()}
        />
      </div>
      <Chip.Group
        value={show ?? ALL}
        onChange={(next: string) =>
          onChange({ show: VIDEO_GROUPS.find((group) => group === next) })
        }
      >
        <Group gap={6} role="group" aria-label="State">
          <Choice value={ALL} label="All" count={undefined} />
          {groups.map((group) => (
            <Choice
              key={group}
              value={group}
              label={groupLabel(group)}
              count={countGroup(group, counts)}
            />
          ))}
        </Group>
      </Chip.Group>
    </Group>
  );
}

interface ChoiceProps {
  readonly value: string;
  readonly label: string;
  readonly count: number | undefined;
}

function Choice({ value, label, count }: ChoiceProps) {
  return (
    <Chip value={value} size="xs" variant="outline" data-group={value}>
      {label}
      {count !== undefined && (
        <span className={classes['count']} data-figures>
          {' '}
          {formatCount(count)}
        </span>
      )}
    </Chip>
  );
}
