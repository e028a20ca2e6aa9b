import type { OptionsFilter } from '@mantine/core';
import { another } from '../../shared/client-setup/other-tools.ts';

/** Filters the tools by a part of their name; the entry that fits every other program always stays. */
export const toolFilter: OptionsFilter = ({ options, search }) => {
  const typed = search.trim().toLowerCase();
  return options.filter(
    (option) =>
      'value' in option &&
      (option.value === another.id || option.label.toLowerCase().includes(typed)),
  );
};
