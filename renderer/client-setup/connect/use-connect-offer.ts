import { useState } from 'react';
import { TOOLS } from '../../../shared/client-setup/tools.ts';
import type { ProgramState } from '../../../shared/connect/connection.ts';
import { usePrograms } from './use-programs.ts';

/** The programs on this machine, and the one that is offered to be connected. */
interface ConnectOffers {
  /** The program that was chosen, unless it is set up by hand or not on this machine. */
  readonly offered: ProgramState | undefined;
  /** Programs that are no tools, so that they can only be connected. */
  readonly withoutTool: readonly ProgramState[];
  /** Whether the programs are looked for. */
  readonly isLooking: boolean;
  readonly chooseByHand: () => void;
}

/** Finds the program of a choice on this machine, to offer a connection; none unless `enabled`. */
export function useConnectOffer(choice: string, enabled: boolean): ConnectOffers {
  const [byHand, setByHand] = useState<string | null>(null);
  const { data = [], isLoading } = usePrograms(enabled);
  const found = enabled ? data.filter(({ foundAt }) => foundAt !== null) : [];
  const names = new Set(TOOLS.map(({ name }) => name));
  const tool = TOOLS.find(({ id }) => id === choice);
  const program = found.find(({ id, name }) => name === tool?.name || toChoice(id) === choice);
  return {
    offered: byHand === choice ? undefined : program,
    withoutTool: found.filter(({ name }) => !names.has(name)),
    isLooking: isLoading && tool !== undefined,
    chooseByHand: () => setByHand(choice),
  };
}

/** Returns the choice that stands for a program without a tool: a tool may have the id of another program. */
export function toChoice(program: string): string {
  return `program ${program}`;
}
