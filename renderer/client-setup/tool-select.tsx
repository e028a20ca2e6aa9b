import { Select, type SelectProps } from '@mantine/core';
import { TOOLS } from '../../shared/client-setup/tools.ts';
import type { ProgramState } from '../../shared/connect/connection.ts';
import { toChoice } from './connect/use-connect-offer.ts';
import { toolFilter } from './tool-filter.ts';

interface ToolSelectProps extends SelectProps {
  /** Programs that were found on this machine and have no tool: they can only be connected. */
  readonly programs: readonly ProgramState[];
}

/** Selects the program of a new client. */
export function ToolSelect({ programs, ...input }: ToolSelectProps) {
  return (
    <Select
      label="Program"
      data-autofocus
      openOnFocus={false}
      description="Type to search. “Another program” works for everything else."
      placeholder="Claude Code, Codex, Cline…"
      searchable
      selectFirstOptionOnChange
      selectFirstOptionOnDropdownOpen
      data={[
        ...TOOLS.map(({ id, name }) => ({ value: id, label: name })),
        ...programs.map(({ id, name }) => ({ value: toChoice(id), label: name })),
      ]}
      filter={toolFilter}
      maxDropdownHeight={280}
      {...input}
    />
  );
}
