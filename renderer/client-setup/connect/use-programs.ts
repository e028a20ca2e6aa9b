import { useQuery } from '@tanstack/react-query';
import type { ProgramState } from '../../../shared/connect/connection.ts';
import { useCalls } from '../../api/client.ts';

/** A program that is connected. */
export type ConnectedProgram = ProgramState & {
  readonly connection: NonNullable<ProgramState['connection']>;
};

/**
 * Asks for the programs and their connections, only while `enabled`. Other programs change the files at any time, so it asks again
 * with each use and when the person comes back to the window.
 */
export function usePrograms(enabled = true) {
  return useQuery(
    useCalls().connections.list.queryOptions({
      enabled,
      staleTime: 0,
      refetchOnWindowFocus: true,
    }),
  );
}

/** Finds the program that uses the local key of a client. */
export function findProgramOf(
  programs: readonly ProgramState[],
  clientId: string,
): ConnectedProgram | undefined {
  return programs.filter(isConnected).find(({ connection }) => connection.client.id === clientId);
}

function isConnected(program: ProgramState): program is ConnectedProgram {
  return program.connection !== null;
}
