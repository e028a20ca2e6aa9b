import { Stack, Text, TextInput, Title, UnstyledButton } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, useState } from 'react';
import type { ClientTool } from '../../../shared/client-setup/client-tool.ts';
import { another } from '../../../shared/client-setup/other-tools.ts';
import { TOOLS } from '../../../shared/client-setup/tools.ts';
import type { ProgramState } from '../../../shared/connect/connection.ts';
import { isComposing } from '../../hooks/keyboard/is-composing.ts';
import { useListKeys } from '../../hooks/keyboard/use-list-keys.ts';
import { describeFiles } from './file-state.ts';
import classes from './connect.module.css';

interface ProgramListProps {
  readonly programs: readonly ProgramState[];
  readonly onProgram: (program: ProgramState) => void;
  /** Called with a tool that is set up by hand. */
  readonly onTool: (tool: ClientTool) => void;
  /** Whether its filter takes the focus. */
  readonly autoFocus: boolean;
}

/** A program that can be chosen. */
interface Choice {
  readonly id: string;
  readonly name: string;
  readonly about?: string | undefined;
  readonly onChoose: () => void;
}

interface Section {
  readonly title: string;
  readonly choices: readonly Choice[];
}

/** Lists the programs: those on this machine, the others, those that are set up by hand, and those that cannot be connected. */
export function ProgramList(props: ProgramListProps) {
  const [typed, setTyped] = useState('');
  const isFound = (one: { readonly id: string; readonly name: string }): boolean =>
    one.id === another.id || one.name.toLowerCase().includes(typed.trim().toLowerCase());
  const sections = toSections(props)
    .map(({ title, choices }) => ({ title, choices: choices.filter(isFound) }))
    .filter(({ choices }) => choices.length > 0);
  const choices = sections.flatMap((section) => section.choices);
  const { list, onKeyDown, rowProps, mark } = useListKeys<HTMLDivElement>({
    count: choices.length,
    arrowsOnly: true,
  });
  const onFilterKey = (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    if (event.key === 'Enter') choices[0]?.onChoose();
    else if (event.key === 'ArrowDown') mark(0);
    else return;
    event.preventDefault();
  };
  return (
    <Stack gap="md">
      <TextInput
        aria-label="Filter the programs"
        placeholder="Type to filter"
        leftSection={<IconSearch size={15} />}
        data-autofocus={props.autoFocus || undefined}
        autoFocus={props.autoFocus}
        autoComplete="off"
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        onKeyDown={onFilterKey}
      />
      <div ref={list} onKeyDown={onKeyDown} className={classes['sections']}>
        {sections.map((section) => (
          <Programs key={section.title} title={section.title}>
            {section.choices.map((choice) => (
              <li key={choice.id}>
                <UnstyledButton
                  className={classes['program'] ?? ''}
                  onClick={choice.onChoose}
                  {...rowProps(choices.indexOf(choice))}
                >
                  <span className={classes['name']}>{choice.name}</span>
                  {choice.about !== undefined && (
                    <span className={classes['about']}>{choice.about}</span>
                  )}
                </UnstyledButton>
              </li>
            ))}
          </Programs>
        ))}
        <Barred tools={TOOLS.filter((tool) => tool.supportsLocalhost !== true && isFound(tool))} />
      </div>
    </Stack>
  );
}

function toSections({ programs, onProgram, onTool }: ProgramListProps): readonly Section[] {
  const toChoice = (program: ProgramState): Choice => ({
    id: program.id,
    name: program.name,
    about: describeProgram(program),
    onChoose: () => onProgram(program),
  });
  const names = new Set(programs.map(({ name }) => name));
  const byHand = TOOLS.filter(({ name, supportsLocalhost }) => {
    return supportsLocalhost === true && !names.has(name);
  });
  return [
    {
      title: 'Found on this machine',
      choices: programs.filter(({ foundAt }) => foundAt !== null).map(toChoice),
    },
    {
      title: 'Not found on this machine',
      choices: programs.filter(({ foundAt }) => foundAt === null).map(toChoice),
    },
    {
      title: 'Set up by hand',
      choices: byHand.map((tool) => ({
        id: tool.id,
        name: tool.name,
        about: tool.checked === 'documented' ? 'untried' : undefined,
        onChoose: () => onTool(tool),
      })),
    },
  ];
}

function describeProgram(program: ProgramState): string | undefined {
  const { foundAt, foundSettingsOnly, checked, connection } = program;
  const found = foundSettingsOnly ? 'settings found, program not found' : null;
  const connected =
    connection === null
      ? null
      : `connected as “${connection.client.name}”, ${describeFiles(connection.files)}`;
  const untried = checked === 'documented' ? 'untried' : null;
  return (
    [foundAt, found, untried, connected].filter((part) => part !== null).join(' · ') || undefined
  );
}

function Barred({ tools }: { readonly tools: readonly ClientTool[] }) {
  if (tools.length === 0) return null;
  return (
    <Programs title="Cannot be connected">
      {tools.map(({ id, name, supportsLocalhost }) => (
        <li key={id} className={classes['barred']}>
          <span className={classes['name']}>{name}</span>
          <Text size="xs" c="dimmed">
            {supportsLocalhost}
          </Text>
        </li>
      ))}
    </Programs>
  );
}

interface ProgramsProps {
  readonly title: string;
  readonly children: React.ReactNode;
}

function Programs({ title, children }: ProgramsProps) {
  return (
    <section aria-label={title}>
      <Title order={3} mb={4}>
        {title}
      </Title>
      <ul className={classes['programs']} aria-label={title}>
        {children}
      </ul>
    </section>
  );
}
