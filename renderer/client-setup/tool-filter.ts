import type { OptionsFilter } from '@mantine/core';
import { another } from './other-tools.ts';

/** The tools with a name that contains what was typed, and always the entry that fits everything else. */
export const toolFilter: OptionsFilter = ({ options, search }) => {
  const typed = search.trim().toLowerCase();
  return options.filter(
    (option) =>
      'value' in option &&
      (option.value === another.id || option.label.toLowerCase().includes(typed)),
  );
};
